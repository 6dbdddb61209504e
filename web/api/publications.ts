/** What came in through publishing endpoints, and what became of it. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Publication, PublicationDetail } from './types.ts';

export type PublicationFilter = Omit<
  NonNullable<operations['publications.list']['parameters']['query']>,
  'limit' | 'cursor'
>;
export type Replay = NonNullable<
  operations['publications.replay']['requestBody']
>['content']['application/json'];

/** How often a shown publication is polled, in addition to events. */
const SOON_MS = 1500;
const LATER_MS = 10_000;
/** The most that a page of the API holds. */
const PAGE = 100;

const publicationsKey = (workspaceId: string) => ['ws', workspaceId, 'publications'] as const;

export const refreshPublications = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: publicationsKey(workspaceId) });

export const publicationsQuery = (workspaceId: string, filter: PublicationFilter) =>
  listQuery([...publicationsKey(workspaceId), 'list', filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/publications', { params: { query: { ...page, ...filter } }, signal }),
    ),
  );

const UNDER_WAY: readonly Publication['status'][] = ['received', 'scheduled', 'publishing'];
const isOver = ({ status }: PublicationDetail): boolean => !UNDER_WAY.includes(status);

/** One with all that came and was made of it; asked for again until it is over. */
export const publicationQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...publicationsKey(workspaceId), 'one', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/publications/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data && isOver(data) ? LATER_MS : SOON_MS),
  });

/** What of an endpoint waits for its time: the first hundred, and whether there are more. */
export const waitingQuery = (workspaceId: string, endpointId: string) =>
  queryOptions({
    queryKey: [...publicationsKey(workspaceId), 'waiting', endpointId],
    queryFn: ({ signal }) =>
      unwrap(
        apiFor(workspaceId).GET('/api/v1/publications', {
          params: { query: { endpoint_id: endpointId, status: 'scheduled', limit: PAGE } },
          signal,
        }),
      ),
    staleTime: 0,
  });

/** @returns the new publication */
export const replayPublication = (workspaceId: string, id: string, body: Replay): Promise<Publication> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/publications/{id}/replay', { params: { path: { id } }, body }));

/** While nothing of it was sent. */
export const cancelPublication = (workspaceId: string, id: string): Promise<Publication> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/publications/{id}/cancel', { params: { path: { id } } }));
