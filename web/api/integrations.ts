/** Files for other tools, made by the server. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';

export const integrationsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'integrations'],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/integrations', { signal })).then((list) => list.data),
    staleTime: Infinity,
  });
