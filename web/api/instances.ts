/** Instances (accounts on channels), channels, and pairing. */
import {
  queryOptions,
  type QueryClient,
  useInfiniteQuery,
  useQueries,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { readQuery } from './read.ts';
import { get, send, post, patch, del, type BodyOf, type FilterOf } from './call.ts';
import { listQuery, pollFirstPage } from './list.ts';
import { useLiveEvents } from './live-events.ts';
import type { Capabilities, EventObject, Instance, Page, Pairing } from './types.ts';

export type NewInstance = BodyOf<'post', '/instances'>;
export type InstanceChange = BodyOf<'patch', '/instances/{id}'>;

/** The most that a page of the API holds. */
const PAGE = 100;
/** Polling interval, for queue length and last error: they have no event. */
const POLL_MS = 5000;
/** Maximum interval between reads of a pairing code; shorter if there is none yet. */
const PAIRING_MS = 5000;
const SOON_MS = 1000;
const RENEWED_MS = 400;
/** Events within this time cause one refresh. */
const TOGETHER_MS = 150;

/** Prefix of all query keys on instances, for invalidating. */
export const instancesKey = (workspaceId: string) => ['ws', workspaceId, 'instances'] as const;

/** Channels change with the server's version alone. */
export const channelsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'channels'],
    queryFn: ({ signal }) => send(workspaceId, get('/channels'), { signal }).then((list) => list.data),
    staleTime: Infinity,
  });

export const instancesQuery = (workspaceId: string, filter: FilterOf<'/instances'> = {}) => ({
  ...listQuery(
    [...instancesKey(workspaceId), 'list', filter],
    workspaceId,
    get('/instances', { query: filter }),
  ),
  refetchInterval: pollFirstPage(POLL_MS),
});

export const instanceQuery = (workspaceId: string, id: string) =>
  readQuery(
    [...instancesKey(workspaceId), 'one', id],
    workspaceId,
    get('/instances/{id}', { path: { id } }),
    {
      refetchInterval: POLL_MS,
    },
  );

interface WantedInstances {
  /** Part of the name. */
  search?: string;
  connected?: boolean;
  /** Operation that the channel must support. */
  operation?: Capabilities['operations'][number];
}

/** Options of a field. */
const MAX_FOUND = 20;
/** Maximum pages searched for instances that support an operation, because the API has no such filter. */
const MAX_PAGES = 10;

/** Gets the first instances that are as wanted. */
export async function findInstances(
  workspaceId: string,
  { search = '', connected = false, operation }: WantedInstances,
  signal: AbortSignal,
): Promise<Instance[]> {
  const found: Instance[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_FOUND; page++) {
    const query = {
      limit: operation ? PAGE : MAX_FOUND,
      search: search || undefined,
      state: connected ? ('connected' as const) : undefined,
      cursor: cursor ?? undefined,
    };
    const list: Page<Instance> = await send(workspaceId, get('/instances', { query }), { signal });
    found.push(
      ...list.data.filter(({ capabilities }) => !operation || capabilities.operations.includes(operation)),
    );
    cursor = list.next_cursor;
    if (cursor === null) break;
  }
  return found.slice(0, MAX_FOUND);
}

/** The chat with the latest activity shows which instance was used last. Not every user may read chats. */
const getLastUsed = (workspaceId: string, signal: AbortSignal): Promise<string | undefined> =>
  send(workspaceId, get('/chats', { query: { limit: 1 } }), { signal }).then(
    ({ data }) => data[0]?.instance_id,
    () => undefined,
  );

/** Puts the instance that was used last first: a form begins with it. */
async function usedFirst(
  instances: Promise<Instance[]>,
  lastUsed: Promise<string | undefined>,
): Promise<Instance[]> {
  const id = await lastUsed;
  return (await instances).toSorted((one, other) => Number(other.id === id) - Number(one.id === id));
}

/** Gets the first instances whose channel supports an operation, starting with the one used last. */
export const ableInstancesQuery = (
  workspaceId: string,
  wanted: { operation: Capabilities['operations'][number]; connected?: boolean },
) =>
  queryOptions({
    queryKey: [...instancesKey(workspaceId), 'able', wanted],
    queryFn: ({ signal }) =>
      usedFirst(findInstances(workspaceId, wanted, signal), getLastUsed(workspaceId, signal)),
  });

const getFirst = async (workspaceId: string, signal: AbortSignal): Promise<Instance[]> =>
  (await send(workspaceId, get('/instances', { query: { limit: PAGE } }), { signal })).data;

/** Gets the first page of instances once, for their names. */
export const firstInstancesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...instancesKey(workspaceId), 'first'],
    queryFn: ({ signal }) => getFirst(workspaceId, signal),
  });

/** The same for a form that begins with one of them: the one that was used last is the first. */
export const instancesByUseQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...instancesKey(workspaceId), 'by-use'],
    queryFn: ({ signal }) => usedFirst(getFirst(workspaceId, signal), getLastUsed(workspaceId, signal)),
  });

/**
 * Returns the first instances, and those of the given IDs that are not among them; undefined until the first are known.
 * @param ids of instances that something on the page refers to
 */
export function useInstances(
  workspaceId: string,
  ids: readonly string[],
  { enabled = true } = {},
): { data: Instance[] | undefined; error: unknown; refetch: () => unknown } {
  const { data: first, error, refetch } = useInfiniteQuery({ ...instancesQuery(workspaceId), enabled });
  const further = [...new Set(ids)].filter((id) => id !== '' && !first?.some((one) => one.id === id));
  const others = useQueries({
    queries: (enabled && first ? further : []).map((id) => ({
      ...instanceQuery(workspaceId, id),
      retry: false,
    })),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []),
  });
  return { data: first && [...first, ...others], error, refetch };
}

/** Gets the first instances whose name contains a text, as the options of a field. */
export const instanceOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: [...instancesKey(workspaceId), 'options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const data = await findInstances(workspaceId, { search }, signal);
    return data.map(({ id, name }) => ({ value: id, label: name }));
  },
});

/** Gets the name of an instance. */
export const instanceNameQuery = (workspaceId: string, id: string) => ({
  queryKey: [...instancesKey(workspaceId), 'name', id],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<string> => {
    const { name } = await send(workspaceId, get('/instances/{id}', { path: { id } }), { signal });
    return name;
  },
});

export interface PairingShown {
  step: Pairing;
  /** The QR code as rendered by the API; null if there is none. */
  svg: string | null;
}

async function readPairing(workspaceId: string, id: string, signal: AbortSignal): Promise<PairingShown> {
  const read = (format: 'json' | 'svg') =>
    send(workspaceId, get('/instances/{id}/pairing', { path: { id }, query: { format } }), {
      signal,
      isText: format === 'svg',
    });
  const step: Pairing = await read('json');
  // The type is that of the JSON response.
  return { step, svg: step.kind === 'code' ? null : ((await read('svg')) as unknown as string) };
}

/** Gets the QR or pairing code, and again before it expires. It isn't cached. */
export const pairingQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...instancesKey(workspaceId), 'pairing', id],
    queryFn: ({ signal }) => readPairing(workspaceId, id, signal),
    refetchInterval: ({ state: { data } }) => {
      // Right after a code expires there may be no new one yet.
      const left = data ? Date.parse(data.step.expires_at) - Date.now() + RENEWED_MS : 0;
      return Math.max(SOON_MS, Math.min(left, PAIRING_MS));
    },
    staleTime: 0,
    gcTime: 0,
  });

/** Events of its changes of state, newest first. */
export const stateHistoryQuery = (workspaceId: string, id: string) =>
  listQuery(
    [...instancesKey(workspaceId), 'history', id],
    workspaceId,
    get('/events', { query: { type: 'instance.state_changed', resource_id: id } }),
  );

/** Messages of an instance over time. */
export const instanceActivityQuery = (
  workspaceId: string,
  id: string,
  query: FilterOf<'/instances/{id}/activity'>,
) =>
  readQuery(
    [...instancesKey(workspaceId), 'activity', id, query],
    workspaceId,
    get('/instances/{id}/activity', { path: { id }, query }),
  );

const DAY_MS = 86_400_000;

/** Counts how often the connection was lost within a day; `more` if there were more changes than are read. */
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
      const list = await send(workspaceId, get('/events', { query }), { signal });
      const lost = list.data.filter((event) => getInstance(event)?.state === 'reconnecting');
      return { count: lost.length, more: list.has_more };
    },
  });

/** The instance as it was after an event of it. */
export const getInstance = (event: EventObject): Instance | undefined =>
  event.data['object'] as Instance | undefined;

export const checkChannel = (channel: string, body: BodyOf<'post', '/channels/{channel}/check'>) =>
  post('/channels/{channel}/check', { path: { channel }, body });

export const createInstance = (body: NewInstance) => post('/instances', { body });

export const updateInstance = (id: string, body: InstanceChange) =>
  patch('/instances/{id}', { path: { id }, body });

export const deleteInstance = (id: string) => del('/instances/{id}', { path: { id } });

/** Sets the desired state of the connection. The connection changes after the response. */
export const setDesiredState = (id: string, action: 'connect' | 'disconnect' | 'restart' | 'logout') =>
  post(`/instances/{id}/${action}`, { path: { id } });

const refresh = (queryClient: QueryClient, workspaceId: string) =>
  void queryClient.invalidateQueries({ queryKey: instancesKey(workspaceId) });

/** Keeps all queries on instances up to date. @param id follows only the events of this instance */
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
        if (event && id !== undefined && getInstance(event)?.id !== id) return;
        timer.current ??= setTimeout(() => {
          timer.current = undefined;
          refresh(queryClient, workspaceId);
        }, TOGETHER_MS);
      },
      [queryClient, workspaceId, id],
    ),
  );
}

const TROUBLED_MS = 10_000;
const MAX_TROUBLED = 100;

/** The first instances that failed to connect or need an action. */
export const troubledInstancesQuery = (workspaceId: string) =>
  readQuery(
    [...instancesKey(workspaceId), 'troubled'],
    workspaceId,
    get('/instances', { query: { state: 'failed,action_required', limit: MAX_TROUBLED } }),
    { refetchInterval: TROUBLED_MS },
  );

/** States in which the API rejects messages. */
const REJECTING: readonly Instance['state'][] = ['created', 'disconnected', 'failed'];
export const takesMessages = ({ state }: Instance): boolean => !REJECTING.includes(state);

export type Operation = Capabilities['operations'][number];

/** Returns whether the channel of an instance supports an operation. */
export const can = (instance: Instance | undefined, operation: Operation): boolean =>
  instance?.capabilities.operations.includes(operation) ?? false;

/** Returns the instance that a message begins with: one that can send now, or else one that accepts messages. */
export const findDefaultInstance = (instances: readonly Instance[]): Instance | undefined =>
  instances.find(({ state }) => state === 'connected') ?? instances.find(takesMessages);
