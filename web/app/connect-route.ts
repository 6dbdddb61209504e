/** The page that connects other tools. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { importOrWait } from '../api/import-or-wait.ts';
import { oneOf, searchParams } from '../patterns/search-params.ts';
import { workspace } from './workspace-route.ts';

export const connect = createRoute({
  getParentRoute: () => workspace,
  path: '/connect',
  validateSearch: searchParams({ tool: oneOf('make', 'n8n', 'node_red', 'postman') }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/connect/Connect.tsx')),
    'Connect',
  ),
});
