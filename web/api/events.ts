/** The event log, the catalogue of event types, and the live tail. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, ensureOk, fetchOrProblem, unwrap, WORKSPACE_HEADER } from './client.ts';
import { listQuery } from './list.ts';
import { problemOf } from './problem.ts';
import { readEventStream } from './sse.ts';
import type { EventObject, EventType } from './types.ts';

export interface EventFilter {
  type?: string;
  /** Only what happened to this object. */
  resource_id?: string;
  /** RFC 3339. */
  created_after?: string;
}

export const eventsQuery = (workspaceId: string, filter: EventFilter) =>
  listQuery(['ws', workspaceId, 'events', filter], (page, signal) =>
    unwrap(apiFor(workspaceId).GET('/api/v1/events', { params: { query: { ...page, ...filter } }, signal })),
  );

/** The whole catalogue. */
export const eventTypesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'event-types'],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/event-types', { signal })).then((list) => list.data),
    staleTime: Infinity,
  });

const stored = (types: EventType[]): EventType[] => types.filter((type) => !type.stream_only);

/** Those that the log keeps and a webhook may have; naming any other there is refused. */
export const storedEventTypesQuery = (workspaceId: string) => ({
  ...eventTypesQuery(workspaceId),
  select: stored,
});

/**
 * Calls `onEvent` with each event after `afterSequence` (null: from now on) until `signal` aborts.
 * @param type only these: one, or several with commas; `message.*` means all of a noun
 * @throws ApiProblem where the stream is refused or ended by the server; what the connection throws where it is cut
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
    if (event === 'error') throw problemOf(response.status, JSON.parse(data));
    hooks.onEvent(JSON.parse(data) as EventObject);
  }
}
