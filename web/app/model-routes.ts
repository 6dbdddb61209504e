/** The pages of models. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { importOrWait } from '../api/import-or-wait.ts';
import { date, flag, oneOf, searchParams, text } from '../patterns/search-params.ts';
import { workspace } from './workspace-route.ts';

export const models = createRoute({
  getParentRoute: () => workspace,
  path: '/models',
  validateSearch: searchParams({ model: text, with: text }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/models/Playground.tsx')),
    'Playground',
  ),
});

export const modelProviders = createRoute({
  getParentRoute: () => workspace,
  path: '/model-providers',
  validateSearch: searchParams({
    q: text,
    kind: text,
    state: oneOf('active', 'failing', 'disabled'),
    create: flag,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/model-providers/Providers.tsx')),
    'Providers',
  ),
});

export const modelProvider = createRoute({
  getParentRoute: () => workspace,
  path: '/model-providers/$id',
  validateSearch: searchParams({ tab: oneOf('settings'), q: text, test: flag }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/model-providers/ProviderPage.tsx')),
    'ProviderPage',
  ),
});

export const modelRoutes = createRoute({
  getParentRoute: () => workspace,
  path: '/model-routes',
  validateSearch: searchParams({ q: text, id: text, create: flag }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/model-routes/Routes.tsx')),
    'Routes',
  ),
});

export const budgets = createRoute({
  getParentRoute: () => workspace,
  path: '/budgets',
  validateSearch: searchParams({ q: text, key: text, id: text, create: flag }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/budgets/Budgets.tsx')),
    'Budgets',
  ),
});

export const modelUsage = createRoute({
  getParentRoute: () => workspace,
  path: '/model-usage',
  validateSearch: searchParams({
    range: oneOf('7d', '90d', 'custom'),
    from: date,
    to: date,
    by: oneOf('key', 'provider', 'route'),
    key: text,
    model: text,
    provider: text,
    route: text,
    call: text,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/model-usage/ModelUsage.tsx')),
    'ModelUsage',
  ),
});
