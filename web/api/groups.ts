/** Groups and their participants. Calls that change a group at the channel return a job. */
import { type InfiniteData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Group, GroupParticipant, Job, Page } from './types.ts';

type Body<O extends keyof operations> = operations[O] extends {
  requestBody?: { content: { 'application/json': infer B } };
}
  ? B
  : never;
export type NewGroup = Body<'groups.create'>;
export type GroupChange = Body<'groups.update'>;
export type GroupJoin = Body<'groups.join'>;
export type ParticipantsChange = Body<'groups.change_participants'>;
export type GroupMembership = Group['membership'];
export type GroupRole = GroupParticipant['role'];

export interface GroupFilter {
  instance_id?: string;
  membership?: GroupMembership;
  /** Part of the subject or address. */
  search?: string;
}

/** All that begins with this is of groups: for invalidating. */
const groupsKey = (workspaceId: string) => ['ws', workspaceId, 'groups'] as const;
const listsKey = (workspaceId: string) => [...groupsKey(workspaceId), 'list'] as const;
const oneKey = (workspaceId: string, id: string) => [...groupsKey(workspaceId), 'one', id] as const;
const participantsKey = (workspaceId: string, id: string) =>
  [...groupsKey(workspaceId), 'participants', id] as const;
const historyKey = (workspaceId: string, id: string) => [...groupsKey(workspaceId), 'history', id] as const;

export const groupsQuery = (workspaceId: string, filter: GroupFilter) =>
  listQuery([...listsKey(workspaceId), filter], (page, signal) =>
    unwrap(apiFor(workspaceId).GET('/api/v1/groups', { params: { query: { ...page, ...filter } }, signal })),
  );

export const groupQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: oneKey(workspaceId, id),
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/groups/{id}', { params: { path: { id } }, signal })),
  });

/** Owners, then admins, then members. */
export const participantsQuery = (workspaceId: string, id: string, filter: { role?: GroupRole } = {}) =>
  listQuery([...participantsKey(workspaceId, id), filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/groups/{id}/participants', {
        params: { path: { id }, query: { ...page, ...filter } },
        signal,
      }),
    ),
  );

/** What happened to it, newest first. */
export const groupHistoryQuery = (workspaceId: string, id: string) =>
  listQuery(historyKey(workspaceId, id), (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/events', {
        params: { query: { ...page, type: 'group.*', resource_id: id } },
        signal,
      }),
    ),
  );

/** The one that is newer: an answer may come after the event that tells more. */
const newer = (known: Group | undefined, told: Group): Group =>
  known && known.updated_at > told.updated_at ? known : told;

/** Updates a group in all queries. Lists that don't contain it yet must be read again. */
export function putGroup(client: QueryClient, workspaceId: string, group: Group): void {
  client.setQueryData<Group>(oneKey(workspaceId, group.id), (known) => newer(known, group));
  client.setQueriesData<InfiniteData<Page<Group>>>(
    { queryKey: listsKey(workspaceId) },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          data: page.data.map((one) => (one.id === group.id ? newer(one, group) : one)),
        })),
      },
  );
}

/** @param id what is shown of this one alone; left out, of all */
export const refreshGroups = (client: QueryClient, workspaceId: string, id?: string): Promise<unknown> =>
  id === undefined
    ? client.invalidateQueries({ queryKey: groupsKey(workspaceId) })
    : Promise.all(
        [listsKey(workspaceId), participantsKey(workspaceId, id), historyKey(workspaceId, id)].map(
          (queryKey) => client.invalidateQueries({ queryKey }),
        ),
      );

export const createGroup = (workspaceId: string, body: NewGroup): Promise<Job> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/groups', { body }));

export const joinGroup = (workspaceId: string, body: GroupJoin): Promise<Job> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/groups/join', { body }));

/** @param version the ETag that was read; null overwrites whatever there is */
export const updateGroup = (
  workspaceId: string,
  id: string,
  body: GroupChange,
  version: string | null = null,
): Promise<Job> =>
  unwrap(
    apiFor(workspaceId).PATCH('/api/v1/groups/{id}', { params: { path: { id }, ...ifMatch(version) }, body }),
  );

export const changeParticipants = (workspaceId: string, id: string, body: ParticipantsChange): Promise<Job> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/groups/{id}/participants', { params: { path: { id } }, body }));

/** What needs no more saying; also the end of its path. */
export type GroupAsk = 'leave' | 'refresh' | 'invite/revoke';

export const askGroup = (workspaceId: string, id: string, ask: GroupAsk): Promise<Job> =>
  unwrap(apiFor(workspaceId).POST(`/api/v1/groups/{id}/${ask}`, { params: { path: { id } } }));
