/** Groups and their participants. Calls that change a group at the channel return a job. */
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { get, post, patch, type BodyOf, type FilterOf } from './call.ts';
import { listQuery } from './list.ts';
import type { Group, Page } from './types.ts';

export type NewGroup = BodyOf<'post', '/groups'>;
export type GroupChange = BodyOf<'patch', '/groups/{id}'>;
export type ParticipantsChange = BodyOf<'post', '/groups/{id}/participants'>;

/** All that begins with this is of groups: for invalidating. */
const groupsKey = (workspaceId: string) => ['ws', workspaceId, 'groups'] as const;
const listsKey = (workspaceId: string) => [...groupsKey(workspaceId), 'list'] as const;
const oneKey = (workspaceId: string, id: string) => [...groupsKey(workspaceId), 'one', id] as const;
const participantsKey = (workspaceId: string, id: string) =>
  [...groupsKey(workspaceId), 'participants', id] as const;
const historyKey = (workspaceId: string, id: string) => [...groupsKey(workspaceId), 'history', id] as const;

export const groupsQuery = (workspaceId: string, filter: FilterOf<'/groups'>) =>
  listQuery([...listsKey(workspaceId), filter], workspaceId, get('/groups', { query: filter }));

export const groupQuery = (workspaceId: string, id: string) =>
  readQuery(oneKey(workspaceId, id), workspaceId, get('/groups/{id}', { path: { id } }));

/** Owners, then admins, then members. */
export const participantsQuery = (
  workspaceId: string,
  id: string,
  filter: FilterOf<'/groups/{id}/participants'> = {},
) =>
  listQuery(
    [...participantsKey(workspaceId, id), filter],
    workspaceId,
    get('/groups/{id}/participants', { path: { id }, query: filter }),
  );

/** Gets the history of a group, newest first. */
export const groupHistoryQuery = (workspaceId: string, id: string) =>
  listQuery(
    historyKey(workspaceId, id),
    workspaceId,
    get('/events', { query: { type: 'group.*', resource_id: id } }),
  );

/** Returns the newer of two versions: a response may arrive after a newer event. */
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

/** @param id refreshes the details of this group alone; by default of all groups */
export const refreshGroups = (client: QueryClient, workspaceId: string, id?: string): Promise<unknown> =>
  id === undefined
    ? client.invalidateQueries({ queryKey: groupsKey(workspaceId) })
    : Promise.all(
        [listsKey(workspaceId), participantsKey(workspaceId, id), historyKey(workspaceId, id)].map(
          (queryKey) => client.invalidateQueries({ queryKey }),
        ),
      );

export const createGroup = (body: NewGroup) => post('/groups', { body });

export const joinGroup = (body: BodyOf<'post', '/groups/join'>) => post('/groups/join', { body });

export const updateGroup = (id: string, body: GroupChange) => patch('/groups/{id}', { path: { id }, body });

export const changeParticipants = (id: string, body: ParticipantsChange) =>
  post('/groups/{id}/participants', { path: { id }, body });

/** @param ask action without a body; also the last part of its path */
export const askGroup = (id: string, ask: 'leave' | 'refresh' | 'invite/revoke') =>
  post(`/groups/{id}/${ask}`, { path: { id } });
