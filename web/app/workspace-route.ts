/** Parent of all pages of a workspace: loads the user and the user's scopes. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { meQuery, workspacesQuery } from '../api/workspaces.ts';
import { importOrWait } from '../api/import-or-wait.ts';
import { PageMissing } from '../patterns/PageStates.tsx';
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
    return { user, scopes: me?.scopes ?? [], defaultDomain: me?.default_domain ?? '' };
  },
  component: lazyRouteComponent(() => importOrWait(() => import('./WorkspaceLayout.tsx')), 'WorkspaceLayout'),
  // An address that doesn't exist keeps the frame around it.
  notFoundComponent: PageMissing,
});
