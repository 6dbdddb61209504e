/** What an API key or a member created that takes in or calls out on its own. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';

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
      const params = { path: { id: creator }, query: { limit: PAGE, ...(enabled && { enabled }) } };
      return creator.startsWith('usr_')
        ? unwrap(apiFor(workspaceId).GET('/api/v1/members/{id}/created-objects', { params, signal }))
        : unwrap(apiFor(workspaceId).GET('/api/v1/api-keys/{id}/created-objects', { params, signal }));
    },
    staleTime: 0,
  });
