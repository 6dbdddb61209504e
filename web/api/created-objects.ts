/** Objects that an API key or a member created and that keep receiving or sending on their own. */
import { queryOptions } from '@tanstack/react-query';
import { get, send } from './call.ts';

/** The most that a page of the API holds. */
const PAGE = 100;

/**
 * The newest objects of a creator.
 * @param creator ID of an API key or a member @param enabled only those that are in use
 */
export const createdObjectsQuery = (workspaceId: string, creator: string, enabled?: true) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'created-objects', creator, enabled ?? false],
    queryFn: ({ signal }) => {
      const parts = { path: { id: creator }, query: { limit: PAGE, ...(enabled && { enabled }) } };
      return creator.startsWith('usr_')
        ? send(workspaceId, get('/members/{id}/created-objects', parts), { signal })
        : send(workspaceId, get('/api-keys/{id}/created-objects', parts), { signal });
    },
    staleTime: 0,
  });
