/** Publishing endpoints, their samples and the trial of what they would publish. A secret is in the answer that makes it alone. */
import { parseJson } from './exact-json.ts';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiFor, type Tagged, unwrap, unwrapTagged } from './client.ts';
import { ifMatch } from './edit.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { AnsweredEndpoint, PublishingEndpoint } from './types.ts';

type Body<O extends keyof operations> = operations[O] extends {
  requestBody?: { content: { 'application/json': infer B } };
}
  ? B
  : never;
export type NewEndpoint = Body<'publishing_endpoints.create'>;
export type EndpointChange = Body<'publishing_endpoints.update'>;
export type EndpointRotation = Body<'publishing_endpoints.rotate'>;
export type EndpointTrial = Body<'publishing_endpoints.test_draft'>;
export type EndpointFilter = Omit<
  NonNullable<operations['publishing_endpoints.list']['parameters']['query']>,
  'limit' | 'cursor'
>;

/** Polling interval, for counters: they have no event. */
const LIST_MS = 5000;
const ONE_MS = 5000;

/** All that begins with this is of endpoints: for invalidating. */
const endpointsKey = (workspaceId: string) => ['ws', workspaceId, 'publishing-endpoints'] as const;

export const refreshEndpoints = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: endpointsKey(workspaceId) });

export const endpointsQuery = (workspaceId: string, filter: EndpointFilter) => ({
  ...listQuery([...endpointsKey(workspaceId), 'list', filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/publishing-endpoints', {
        params: { query: { ...page, ...filter } },
        signal,
      }),
    ),
  ),
  // Not once further pages are loaded, which would all be read again.
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) <= 1 ? LIST_MS : (false as const),
});

/** Gets an endpoint with its version. A change sends the version, so that it doesn't overwrite another change. */
export const endpointQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...endpointsKey(workspaceId), 'one', id],
    queryFn: ({ signal }): Promise<Tagged<PublishingEndpoint>> =>
      unwrapTagged(
        apiFor(workspaceId).GET('/api/v1/publishing-endpoints/{id}', { params: { path: { id } }, signal }),
      ),
    refetchInterval: ONE_MS,
  });

export const endpointNameQuery = (workspaceId: string, id: string) => ({
  queryKey: [...endpointsKey(workspaceId), 'name', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/publishing-endpoints/{id}', { params: { path: { id } }, signal }),
    ).then(({ name }) => name),
});

export const createEndpoint = (workspaceId: string, body: NewEndpoint): Promise<AnsweredEndpoint> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/publishing-endpoints', { body }));

/** @param version the one that was read, from its ETag; null overwrites whatever there is */
export const updateEndpoint = (
  workspaceId: string,
  id: string,
  body: EndpointChange,
  version: string | null = null,
): Promise<Tagged<PublishingEndpoint>> =>
  unwrapTagged(
    apiFor(workspaceId).PATCH('/api/v1/publishing-endpoints/{id}', {
      params: { path: { id }, ...ifMatch(version) },
      body,
    }),
  );

export const rotateEndpoint = (
  workspaceId: string,
  id: string,
  body: EndpointRotation,
): Promise<AnsweredEndpoint> =>
  unwrap(
    apiFor(workspaceId).POST('/api/v1/publishing-endpoints/{id}/rotate', { params: { path: { id } }, body }),
  );

export const deleteEndpoint = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/publishing-endpoints/{id}', { params: { path: { id } } }));

/** The requests that it took last, newest first: what looks like a secret is masked in them. */
export const samplesQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...endpointsKey(workspaceId), 'samples', id],
    queryFn: ({ signal }) =>
      unwrap(
        apiFor(workspaceId).GET('/api/v1/publishing-endpoints/{id}/samples', {
          params: { path: { id } },
          signal,
        }),
      ).then((list) => list.data),
    refetchInterval: ONE_MS,
  });

/**
 * Previews what would be published. Each body is sent once; a newer one aborts it.
 * @param id null for an endpoint that is not saved yet
 * @param body JSON of what is tried
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
    ? unwrap(apiFor(workspaceId).POST('/api/v1/publishing-endpoints/test', { body, signal }))
    : unwrap(
        apiFor(workspaceId).POST('/api/v1/publishing-endpoints/{id}/test', {
          params: { path: { id } },
          body,
          signal,
        }),
      );
