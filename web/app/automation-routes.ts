/** The pages of automation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { importOrWait } from '../api/import-or-wait.ts';
import { PUBLICATION_PARAMS } from '../features/publications/publication-params.ts';
import { flag, oneOf, searchParams, text } from '../patterns/search-params.ts';
import { workspace } from './workspace-route.ts';

export const publishing = createRoute({
  getParentRoute: () => workspace,
  path: '/publishing',
  validateSearch: searchParams({
    tab: oneOf('runs'),
    q: text,
    auth: oneOf('bearer', 'secret_url', 'signature'),
    state: oneOf('enabled', 'disabled'),
    instance: text,
    endpoint: text,
    ...PUBLICATION_PARAMS,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/publishing/Publishing.tsx')),
    'Publishing',
  ),
});

/** Apart from the endpoint's own address, which is an ID. */
export const newPublishingEndpoint = createRoute({
  getParentRoute: () => workspace,
  path: '/publishing/new',
  validateSearch: searchParams({ instance: text }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/publishing/NewEndpoint.tsx')),
    'NewEndpoint',
  ),
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
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/publishing/EndpointPage.tsx')),
    'EndpointPage',
  ),
});
