/** What every page of a workspace stands in: somebody is signed in, and what they may do there is known. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { meQuery, workspacesQuery } from './api/workspaces.ts';
import { root, signedIn } from './root-route.ts';

export const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspace',
  loader: async ({ context, params, location }) => {
    const { queryClient } = context;
    const user = await signedIn(context, location.href);
    const workspaces = await queryClient.ensureQueryData(workspacesQuery);
    const found = workspaces.find(({ slug }) => slug === params.workspace);
    const me = found && (await queryClient.ensureQueryData(meQuery(found.id)));
    return { user, scopes: me?.scopes ?? [] };
  },
  component: lazyRouteComponent(() => import('./shell/WorkspaceLayout.tsx'), 'WorkspaceLayout'),
});
