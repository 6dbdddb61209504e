/** Instances (accounts on channels), the channels that there are, and how an account is paired. */
import { queryOptions, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';
import { useLiveEvents } from './live-events.ts';
import type { operations } from './schema.d.ts';
import type { EventObject, Instance, Pairing } from './types.ts';

export type NewInstance = operations['instances.create']['requestBody']['content']['application/json'];
export type InstanceChange = NonNullable<
  operations['instances.update']['requestBody']
>['content']['application/json'];
export type DesiredStateChange = 'connect' | 'disconnect' | 'restart' | 'logout';

export interface InstanceFilter {
  channel?: string;
  state?: Instance['state'];
}

/** How often is asked for what no event tells of: the length of the queue, the last error. */
const POLL_MS = 5000;
/** A code is looked at again at least as often, and soon while there is none. */
const PAIRING_MS = 5000;
const SOON_MS = 1000;
const RENEWED_MS = 400;
/** Events that come together are one change. */
const TOGETHER_MS = 150;

/** All that begins with this is of instances: for invalidating. */
export const instancesKey = (workspaceId: string) => ['ws', workspaceId, 'instances'] as const;

/** Channels change with the server's version alone. */
export const channelsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'channels'],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/channels', { signal })).then((list) => list.data),
    staleTime: Infinity,
  });

export const instancesQuery = (workspaceId: string, filter: InstanceFilter = {}) => ({
  ...listQuery([...instancesKey(workspaceId), 'list', filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/instances', { params: { query: { ...page, ...filter } }, signal }),
    ),
  ),
  // Not once further pages are loaded, which would all be read again.
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) <= 1 ? POLL_MS : (false as const),
});

export const instanceQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...instancesKey(workspaceId), 'one', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/instances/{id}', { params: { path: { id } }, signal })),
    refetchInterval: POLL_MS,
  });

export interface PairingShown {
  step: Pairing;
  /** The QR code, as the API draws it; null where there is none. */
  svg: string | null;
}

async function readPairing(workspaceId: string, id: string, signal: AbortSignal): Promise<PairingShown> {
  const get = (query: { format: 'json' | 'svg' }) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/instances/{id}/pairing', {
        params: { path: { id }, query },
        parseAs: query.format === 'json' ? 'json' : 'text',
        signal,
      }),
    );
  // The answer's type is that of any format.
  const step = (await get({ format: 'json' })) as Pairing;
  return { step, svg: step.kind === 'code' ? null : ((await get({ format: 'svg' })) as string) };
}

/** What is to be scanned or typed, asked for again before it expires. It is not kept once nobody looks at it. */
export const pairingQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...instancesKey(workspaceId), 'pairing', id],
    queryFn: ({ signal }) => readPairing(workspaceId, id, signal),
    refetchInterval: ({ state: { data } }) => {
      // Right after it expires there is none yet.
      const left = data ? Date.parse(data.step.expires_at) - Date.now() + RENEWED_MS : 0;
      return Math.max(SOON_MS, Math.min(left, PAIRING_MS));
    },
    staleTime: 0,
    gcTime: 0,
  });

/** Events of its changes of state, newest first. */
export const stateHistoryQuery = (workspaceId: string, id: string) =>
  listQuery([...instancesKey(workspaceId), 'history', id], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/events', {
        params: { query: { ...page, type: 'instance.state_changed', resource_id: id } },
        signal,
      }),
    ),
  );

const DAY_MS = 86_400_000;
/** The most that a page of the API holds. */
const PAGE = 100;

/** How often its connection was lost within a day; `more` where there were more changes than are counted. */
export const reconnectsQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...instancesKey(workspaceId), 'reconnects', id],
    queryFn: async ({ signal }) => {
      const query = {
        type: 'instance.state_changed',
        resource_id: id,
        created_after: new Date(Date.now() - DAY_MS).toISOString(),
        limit: PAGE,
      };
      const list = await unwrap(apiFor(workspaceId).GET('/api/v1/events', { params: { query }, signal }));
      const lost = list.data.filter((event) => instanceOf(event)?.state === 'reconnecting');
      return { count: lost.length, more: list.has_more };
    },
  });

/** The instance as it was after an event of it. */
export const instanceOf = (event: EventObject): Instance | undefined =>
  event.data['object'] as Instance | undefined;

export const checkChannel = (
  workspaceId: string,
  channel: string,
  body: { name?: string; settings: Record<string, unknown>; credentials: Record<string, unknown> },
) =>
  unwrap(
    apiFor(workspaceId).POST('/api/v1/channels/{channel}/check', { params: { path: { channel } }, body }),
  );

export const createInstance = (workspaceId: string, body: NewInstance) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/instances', { body }));

export const updateInstance = (workspaceId: string, id: string, body: InstanceChange) =>
  unwrap(apiFor(workspaceId).PATCH('/api/v1/instances/{id}', { params: { path: { id } }, body }));

export const deleteInstance = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/instances/{id}', { params: { path: { id } } }));

/** Says what is wanted of the connection; it comes true right after the answer. */
export const setDesiredState = (workspaceId: string, id: string, wish: DesiredStateChange) =>
  unwrap(apiFor(workspaceId).POST(`/api/v1/instances/{id}/${wish}`, { params: { path: { id } } }));

const refresh = (queryClient: QueryClient, workspaceId: string) =>
  void queryClient.invalidateQueries({ queryKey: instancesKey(workspaceId) });

/** Keeps every query on instances true while they are looked at. @param id only what is told of this one */
export function useLiveInstances(workspaceId: string, id?: string): void {
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  useLiveEvents(
    workspaceId,
    'instance.*',
    useCallback(
      (event) => {
        if (event && id !== undefined && instanceOf(event)?.id !== id) return;
        timer.current ??= setTimeout(() => {
          timer.current = undefined;
          refresh(queryClient, workspaceId);
        }, TOGETHER_MS);
      },
      [queryClient, workspaceId, id],
    ),
  );
}
