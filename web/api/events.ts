/** The event log, the catalog of event types, and the live tail. */
import { readQuery } from './read.ts';
import { type FilterOf, get, send } from './call.ts';
import { parseJson } from './exact-json.ts';
import { queryOptions } from '@tanstack/react-query';
import { ensureOk, fetchOrProblem, WORKSPACE_HEADER } from './client.ts';
import { listQuery } from './list.ts';
import { getProblem } from './problem.ts';
import { readEventStream } from './sse.ts';
import type { EventObject, EventType } from './types.ts';

export const eventsQuery = (workspaceId: string, filter: FilterOf<'/events'>) =>
  listQuery(['ws', workspaceId, 'events', filter], workspaceId, get('/events', { query: filter }));

export const eventQuery = (workspaceId: string, id: string) =>
  readQuery(['ws', workspaceId, 'event', id], workspaceId, get('/events/{id}', { path: { id } }), {
    staleTime: Infinity,
  });

const DELIVERIES_MS = 3000;

export const eventDeliveriesKey = (workspaceId: string, id: string) =>
  ['ws', workspaceId, 'event-deliveries', id] as const;

/** Gets the deliveries of an event to each webhook. */
export const eventDeliveriesQuery = (workspaceId: string, id: string) => ({
  ...listQuery(
    eventDeliveriesKey(workspaceId, id),
    workspaceId,
    get('/events/{id}/deliveries', { path: { id } }),
  ),
  refetchInterval: DELIVERIES_MS,
});

const RECENT_MS = 10_000;
/** Types of events that report a failure. */
const FAILURES = 'publication.failed,message.failed,rule.failed,domain.failed,webhook.disabled';
const MAX_FAILURES = 50;
const MAX_RECENT = 8;

/** Failures since a time, newest first. */
export const failureEventsQuery = (workspaceId: string, after: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'failure-events', after],
    queryFn: async ({ signal }) => {
      const query = { type: FAILURES, created_after: after, limit: MAX_FAILURES };
      return (await send(workspaceId, get('/events', { query }), { signal })).data;
    },
    refetchInterval: RECENT_MS,
  });

const MAX_FAILED = 100;

/**
 * The latest failure of each publishing endpoint since a time, also to some of its destinations only. `isComplete` if the
 * newest failures reach back that far.
 */
export const failedPublicationsQuery = (workspaceId: string, after: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'failed-publications', after],
    queryFn: async ({ signal }) => {
      const query = {
        type: 'publication.failed,publication.partially_published',
        created_after: after,
        limit: MAX_FAILED,
      };
      const { data } = await send(workspaceId, get('/events', { query }), { signal });
      const failedAt = new Map<string, string>();
      for (const { data: about, created_at: at } of data.toReversed())
        failedAt.set((about as { object: { endpoint_id: string } }).object.endpoint_id, at);
      return { failedAt, isComplete: data.length < MAX_FAILED };
    },
    refetchInterval: RECENT_MS,
  });

export const recentEventsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'recent-events'],
    queryFn: async ({ signal }) => {
      const query = { limit: MAX_RECENT };
      return (await send(workspaceId, get('/events', { query }), { signal })).data;
    },
    refetchInterval: RECENT_MS,
  });

/** The whole catalog, without schemas and samples. */
export const eventTypesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'event-types'],
    queryFn: ({ signal }) =>
      send(workspaceId, get('/event-types', { query: { details: false } }), { signal }).then(
        (list) => list.data,
      ),
    staleTime: Infinity,
  });

/** One type, with its schema and sample. */
export const eventTypeQuery = (workspaceId: string, type: string) =>
  readQuery(
    ['ws', workspaceId, 'event-type', type],
    workspaceId,
    get('/event-types/{type}', { path: { type } }),
    { staleTime: Infinity },
  );

const stored = (types: EventType[]): EventType[] => types.filter((type) => !type.stream_only);

/** Those that the log keeps and a webhook may have; naming any other there is refused. */
export const storedEventTypesQuery = (workspaceId: string) => ({
  ...eventTypesQuery(workspaceId),
  select: stored,
});

/**
 * Calls `onEvent` with each event after `afterSequence` (null: from now on) until `signal` aborts.
 * @param type event types, separated by commas; `message.*` means all of a noun
 * @throws ApiProblem if the server rejects or ends the stream; the network error if the connection is lost
 */
export async function followEvents(
  workspaceId: string,
  afterSequence: number | null,
  hooks: { onOpen: () => void; onEvent: (event: EventObject) => void },
  signal: AbortSignal,
  type?: string,
): Promise<void> {
  const query = type === undefined ? '' : `?type=${encodeURIComponent(type)}`;
  const response = await fetchOrProblem(`/api/v1/events/stream${query}`, {
    credentials: 'same-origin',
    headers: {
      Accept: 'text/event-stream',
      [WORKSPACE_HEADER]: workspaceId,
      ...(afterSequence !== null && { 'Last-Event-ID': String(afterSequence) }),
    },
    signal,
  });
  await ensureOk(response);
  hooks.onOpen();
  for await (const { event, data } of readEventStream(response)) {
    if (event === 'error') throw getProblem(response.status, JSON.parse(data));
    hooks.onEvent(parseJson(data) as EventObject);
  }
}
