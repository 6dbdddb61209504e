/** Publications of endpoints and their results. */
import { type QueryClient } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { get, post, type BodyOf, type FilterOf } from './call.ts';
import { listQuery } from './list.ts';
import type { Publication, PublicationDetail } from './types.ts';

/** How often a shown publication is polled, in addition to events. */
const SOON_MS = 1500;
const LATER_MS = 10_000;
/** The most that a page of the API holds. */
const PAGE = 100;

const publicationsKey = (workspaceId: string) => ['ws', workspaceId, 'publications'] as const;

export const refreshPublications = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: publicationsKey(workspaceId) });

export const publicationsQuery = (workspaceId: string, filter: FilterOf<'/publications'>) =>
  listQuery(
    [...publicationsKey(workspaceId), 'list', filter],
    workspaceId,
    get('/publications', { query: filter }),
  );

const UNDER_WAY: readonly Publication['status'][] = ['received', 'scheduled', 'publishing'];
const isOver = ({ status }: PublicationDetail): boolean => !UNDER_WAY.includes(status);

/** Gets a publication with its request and results. Polls until it is completed. */
export const publicationQuery = (workspaceId: string, id: string) =>
  readQuery(
    [...publicationsKey(workspaceId), 'one', id],
    workspaceId,
    get('/publications/{id}', { path: { id } }),
    { refetchInterval: ({ state: { data } }) => (data && isOver(data) ? LATER_MS : SOON_MS) },
  );

/** Gets an endpoint's scheduled publications: the first hundred, and whether there are more. */
export const waitingQuery = (workspaceId: string, endpointId: string) =>
  readQuery(
    [...publicationsKey(workspaceId), 'waiting', endpointId],
    workspaceId,
    get('/publications', { query: { endpoint_id: endpointId, status: 'scheduled', limit: PAGE } }),
    { staleTime: 0 },
  );

/** @returns the new publication */
export const replayPublication = (id: string, body: BodyOf<'post', '/publications/{id}/replay'>) =>
  post('/publications/{id}/replay', { path: { id }, body });

/** Only possible before any of it was sent. */
export const cancelPublication = (id: string) => post('/publications/{id}/cancel', { path: { id } });
