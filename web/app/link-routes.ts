/** The pages of short links. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { importOrWait } from '../api/import-or-wait.ts';
import { ANALYTICS_PARAMS } from '../features/analytics/analytics-params.ts';
import { flag, oneOf, searchParams, text } from '../patterns/search-params.ts';
import { workspace } from './workspace-route.ts';

export const links = createRoute({
  getParentRoute: () => workspace,
  path: '/links',
  validateSearch: searchParams({
    q: text,
    domain: text,
    tag: text,
    state: oneOf('active', 'expired', 'exhausted', 'archived'),
    since: text,
    by: text,
    protected: flag,
    sort: oneOf('clicks', 'last_clicked_at'),
    create: flag,
    import: flag,
    job: text,
  }),
  component: lazyRouteComponent(() => importOrWait(() => import('../features/links/Links.tsx')), 'Links'),
});

export const link = createRoute({
  getParentRoute: () => workspace,
  path: '/links/$id',
  validateSearch: searchParams({
    tab: text,
    bot: oneOf('people', 'bots'),
    click: text,
    ...ANALYTICS_PARAMS,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/links/LinkPage.tsx')),
    'LinkPage',
  ),
});

export const analytics = createRoute({
  getParentRoute: () => workspace,
  path: '/analytics',
  validateSearch: searchParams({ domain: text, tag: text, ...ANALYTICS_PARAMS }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/analytics/Analytics.tsx')),
    'Analytics',
  ),
});

export const tags = createRoute({
  getParentRoute: () => workspace,
  path: '/tags',
  validateSearch: searchParams({ q: text, create: flag }),
  component: lazyRouteComponent(() => importOrWait(() => import('../features/tags/Tags.tsx')), 'Tags'),
});

export const domains = createRoute({
  getParentRoute: () => workspace,
  path: '/domains',
  validateSearch: searchParams({
    q: text,
    state: oneOf('pending', 'verified', 'failed'),
    id: text,
    create: flag,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/domains/Domains.tsx')),
    'Domains',
  ),
});
