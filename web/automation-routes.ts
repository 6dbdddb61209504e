/** The pages of automation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PUBLICATION_PARAMS } from './pages/publications/publication-params.ts';
import { flag, oneOf, searchParams, text } from './search-params.ts';
import { workspace } from './workspace-route.ts';

export const publishing = createRoute({
  getParentRoute: () => workspace,
  path: '/publishing',
  validateSearch: searchParams({
    tab: oneOf('runs'),
    auth: oneOf('bearer', 'secret_url', 'signature'),
    state: oneOf('enabled', 'disabled'),
    instance: text,
    endpoint: text,
    ...PUBLICATION_PARAMS,
  }),
  component: lazyRouteComponent(() => import('./pages/publishing/Publishing.tsx'), 'Publishing'),
});

/** Apart from the endpoint's own address, which is an id. */
export const newPublishingEndpoint = createRoute({
  getParentRoute: () => workspace,
  path: '/publishing/new',
  validateSearch: searchParams({ instance: text }),
  component: lazyRouteComponent(() => import('./pages/publishing-endpoint/NewEndpoint.tsx'), 'NewEndpoint'),
});

export const publishingEndpoint = createRoute({
  getParentRoute: () => workspace,
  path: '/publishing/$id',
  validateSearch: searchParams({
    tab: oneOf('runs', 'settings'),
    sample: text,
    begin: flag,
    ...PUBLICATION_PARAMS,
  }),
  component: lazyRouteComponent(() => import('./pages/publishing-endpoint/EndpointPage.tsx'), 'EndpointPage'),
});
