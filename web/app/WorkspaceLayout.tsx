/** Everything under /w/{slug}: the frame, and the workspace as context for its pages. */
import { getRouteApi, notFound, rootRouteId } from '@tanstack/react-router';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { workspacesQuery } from '../api/workspaces.ts';
import { lastWorkspace } from './last-workspace.ts';
import { Shell } from './Shell.tsx';
import { WorkspaceContext } from '../api/workspace-context.ts';

const route = getRouteApi('/w/$workspace');

export function WorkspaceLayout() {
  const { user, scopes, defaultDomain } = route.useLoaderData();
  const { workspace: slug } = route.useParams();
  const { data: workspaces } = useSuspenseQuery(workspacesQuery);
  const workspace = workspaces.find((item) => item.slug === slug);
  useEffect(() => lastWorkspace.set(slug), [slug]);
  const value = useMemo(
    () => workspace && { workspace, user, scopes, defaultDomain },
    [workspace, user, scopes, defaultDomain],
  );
  if (!value) {
    notFound({ routeId: rootRouteId, throw: true });
    return null;
  }
  return (
    <WorkspaceContext value={value}>
      <Shell key={value.workspace.id} />
    </WorkspaceContext>
  );
}
