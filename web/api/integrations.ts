/** Files for other tools, made by the server. */
import { queryOptions } from '@tanstack/react-query';
import { get, send } from './call.ts';

export const integrationsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'integrations'],
    queryFn: ({ signal }) => send(workspaceId, get('/integrations'), { signal }).then((list) => list.data),
    staleTime: Infinity,
  });
