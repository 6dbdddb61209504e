/** Publishing endpoints, their samples and previews. Secrets are only in the response that creates them. */
import { get, send, sendTagged, post, patch, del, type FilterOf, type BodyOf, type Tagged } from './call.ts';
import { parseJson } from './exact-json.ts';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { listQuery, pollFirstPage } from './list.ts';
import type { PublishingEndpoint } from './types.ts';

export type NewEndpoint = BodyOf<'post', '/publishing-endpoints'>;
export type EndpointChange = BodyOf<'patch', '/publishing-endpoints/{id}'>;
type EndpointTrial = BodyOf<'post', '/publishing-endpoints/test'>;

/** Polling interval, for counters: they have no event. */
const LIST_MS = 5000;
const ONE_MS = 5000;

/** All that begins with this is of endpoints: for invalidating. */
const endpointsKey = (workspaceId: string) => ['ws', workspaceId, 'publishing-endpoints'] as const;

export const refreshEndpoints = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: endpointsKey(workspaceId) });

export const endpointsQuery = (workspaceId: string, filter: FilterOf<'/publishing-endpoints'>) => ({
  ...listQuery(
    [...endpointsKey(workspaceId), 'list', filter],
    workspaceId,
    get('/publishing-endpoints', { query: filter }),
  ),
  refetchInterval: pollFirstPage(LIST_MS),
});

/** Gets an endpoint with its version. A change sends the version, so that it doesn't overwrite another change. */
export const endpointQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...endpointsKey(workspaceId), 'one', id],
    queryFn: ({ signal }): Promise<Tagged<PublishingEndpoint>> =>
      sendTagged(workspaceId, get('/publishing-endpoints/{id}', { path: { id } }), { signal }),
    refetchInterval: ONE_MS,
  });

export const endpointNameQuery = (workspaceId: string, id: string) => ({
  queryKey: [...endpointsKey(workspaceId), 'name', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    send(workspaceId, get('/publishing-endpoints/{id}', { path: { id } }), { signal }).then(
      ({ name }) => name,
    ),
});

export const createEndpoint = (body: NewEndpoint) => post('/publishing-endpoints', { body });

export const updateEndpoint = (id: string, body: EndpointChange) =>
  patch('/publishing-endpoints/{id}', { path: { id }, body });

export const rotateEndpoint = (id: string, body: BodyOf<'post', '/publishing-endpoints/{id}/rotate'>) =>
  post('/publishing-endpoints/{id}/rotate', { path: { id }, body });

export const deleteEndpoint = (id: string) => del('/publishing-endpoints/{id}', { path: { id } });

/** Gets the endpoint's latest requests, newest first. Values that look like secrets are masked. */
export const samplesQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...endpointsKey(workspaceId), 'samples', id],
    queryFn: ({ signal }) =>
      send(workspaceId, get('/publishing-endpoints/{id}/samples', { path: { id } }), { signal }).then(
        (list) => list.data,
      ),
    refetchInterval: ONE_MS,
  });

/**
 * Previews the messages of an endpoint. Each body is sent once; a newer one aborts it.
 * @param id null for an endpoint that is not saved yet
 * @param body JSON to test
 */
export const trialQuery = (workspaceId: string, id: string | null, body: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'publishing-trial', id, body],
    queryFn: ({ signal }) => tryEndpoint(workspaceId, id, parseJson(body) as EndpointTrial, signal),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });

const tryEndpoint = (workspaceId: string, id: string | null, body: EndpointTrial, signal: AbortSignal) =>
  id === null
    ? send(workspaceId, post('/publishing-endpoints/test', { body }), { signal })
    : send(workspaceId, post('/publishing-endpoints/{id}/test', { path: { id }, body }), { signal });
