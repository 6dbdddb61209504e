/** Pages of logs for developers. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { importOrWait } from '../api/import-or-wait.ts';
import { flag, oneOf, searchParams, text } from '../patterns/search-params.ts';
import { workspace } from './workspace-route.ts';

export const event = createRoute({
  getParentRoute: () => workspace,
  path: '/events/$id',
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/events/EventPage.tsx')),
    'EventPage',
  ),
});

export const requests = createRoute({
  getParentRoute: () => workspace,
  path: '/requests',
  validateSearch: searchParams({
    status: oneOf('2xx', '3xx', '4xx', '5xx'),
    errors: flag,
    method: oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'),
    operation: text,
    actor: oneOf('user', 'all'),
    key: text,
    person: text,
    error: text,
    address: text,
    since: oneOf('1h', '24h', '7d'),
    id: text,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/requests/Requests.tsx')),
    'Requests',
  ),
});
