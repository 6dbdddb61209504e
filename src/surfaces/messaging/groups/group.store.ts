/**
 * Stores groups and their participants. Changes by the channel hold the lock of the instance's row in
 * `instance_queues`; changes of metadata only lock the group's row.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { Groups } from '../../../platform/db/tables.ts';
import type { GroupRole } from '../../../channels/contract/connection.ts';
import { subtractMediaBytes } from '../media/media-bytes.store.ts';
import { MAX_SHOWN } from './group.schema.ts';

export interface ShownParticipant {
  contact_id: string | null;
  address: string;
  name: string | null;
  role: GroupRole;
}

/** A group with further data that the API shows. */
export interface GroupRow extends Selectable<Groups> {
  /** The first participants, in order. */
  shown: ShownParticipant[];
  own_role: GroupRole | null;
  /** Whether the file of its picture exists. */
  has_picture: boolean;
}

/** Participants are sorted by this, then by address. */
const RANK = sql`case p.role when 'owner' then 0 when 'admin' then 1 else 2 end`;

/** Joins participants `p` with their contacts. */
const named = (participants: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select p.address, p.role, ${RANK} as rank, c.id as contact_id, coalesce(c.name, c.profile_name, p.name) as name
  from ${participants} p
  left join contact_identities i on i.workspace_id = p.workspace_id and i.instance_id = p.instance_id and i.address = p.address
  left join contacts c on c.workspace_id = i.workspace_id and c.id = i.contact_id`;

/** Selects groups from a relation with the alias `g`, with the columns that the API needs. */
export const selectGroups = (relation: RawBuilder<unknown>): RawBuilder<GroupRow> => sql`
  select g.*, coalesce(s.shown, '[]') as shown,
    exists (select from media m where m.workspace_id = g.workspace_id and m.id = g.picture_id) as has_picture,
    (
      select o.role from instances n
      join group_participants o on o.workspace_id = g.workspace_id and o.group_id = g.id and o.address = n.address
      where n.workspace_id = g.workspace_id and n.id = g.instance_id
    ) as own_role
  from ${relation} g
  left join lateral (
    select json_agg(
      json_build_object('address', f.address, 'role', f.role, 'contact_id', f.contact_id, 'name', f.name)
      order by f.rank, f.address collate "C"
    ) as shown
    from (${named(sql`(
      select * from group_participants p where p.workspace_id = g.workspace_id and p.group_id = g.id
      order by ${RANK}, p.address collate "C" limit ${MAX_SHOWN}
    )`)}) f
  ) s on true`;

/** Reads the existing groups among `ids`, in ID order. */
async function readGroups(db: Db, workspaceId: string, ids: readonly string[]): Promise<GroupRow[]> {
  if (!ids.length) return [];
  const { rows } = await sql<GroupRow>`
    ${selectGroups(sql`groups`)} where g.workspace_id = ${workspaceId} and g.id = any(${ids}::uuid[]) order by g.id
  `.execute(db);
  return rows;
}

export const getGroup = async (db: Db, workspaceId: string, id: string): Promise<GroupRow | undefined> =>
  (await readGroups(db, workspaceId, [id]))[0];

/** Locks the row until the transaction ends. */
export async function lockGroup(db: Tx, workspaceId: string, id: string): Promise<GroupRow | undefined> {
  await sql`select from groups where workspace_id = ${workspaceId} and id = ${id} for update`.execute(db);
  return getGroup(db, workspaceId, id);
}

/** Locks groups by the channel's keys, in ID order. @returns groups by key */
export async function lockGroupsByKey(
  db: Tx,
  workspaceId: string,
  instanceId: string,
  keys: readonly string[],
): Promise<Map<string, GroupRow>> {
  if (!keys.length) return new Map();
  const { rows } = await sql<{ id: string }>`
    select id from groups
    where workspace_id = ${workspaceId} and instance_id = ${instanceId} and key = any(${keys}::text[])
    order by id for update
  `.execute(db);
  const found = await readGroups(
    db,
    workspaceId,
    rows.map(({ id }) => id),
  );
  return new Map(found.map((row) => [row.key, row]));
}

export type NewGroup = Pick<
  Selectable<Groups>,
  | 'id'
  | 'instance_id'
  | 'key'
  | 'chat_id'
  | 'subject'
  | 'description'
  | 'picture_id'
  | 'picture_url'
  | 'announce_only'
  | 'locked'
  | 'members_only'
  | 'invite_url'
  | 'membership'
  | 'created_by'
  | 'created_at'
> & { metadata: object };

export async function insertGroup(
  db: Db,
  workspaceId: string,
  { metadata, ...group }: NewGroup,
): Promise<void> {
  await db
    .insertInto('groups')
    .values({
      workspace_id: workspaceId,
      ...group,
      metadata: JSON.stringify(metadata),
      updated_at: group.created_at,
    })
    .execute();
}

export type GroupColumns = Partial<
  Pick<
    Selectable<Groups>,
    | 'subject'
    | 'description'
    | 'picture_id'
    | 'picture_url'
    | 'announce_only'
    | 'locked'
    | 'members_only'
    | 'invite_url'
    | 'membership'
    | 'participants'
    | 'created_by'
  >
> & { metadata?: object };

/** Updates a group and increases its version. */
export async function updateGroup(
  db: Db,
  workspaceId: string,
  id: string,
  { metadata, ...change }: GroupColumns,
  now: Date,
): Promise<void> {
  await db
    .updateTable('groups')
    .set({
      ...change,
      ...(metadata ? { metadata: JSON.stringify(metadata) } : {}),
      updated_at: now,
      version: sql<number>`version + 1`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

export interface ParticipantCursor {
  rank: number;
  address: string;
}

/** Lists participants of a group in order, one more than the page holds. */
export async function listParticipants(
  db: Db,
  workspaceId: string,
  groupId: string,
  { after, limit, role }: { after: ParticipantCursor | null; limit: number; role?: GroupRole },
): Promise<(ShownParticipant & ParticipantCursor)[]> {
  const beyond = after
    ? sql`and (${RANK}, p.address collate "C") > (${after.rank}::int, ${after.address}::text collate "C")`
    : sql``;
  const only = role === undefined ? sql`` : sql`and p.role = ${role}`;
  const { rows } = await sql<ShownParticipant & ParticipantCursor>`
    select * from (${named(sql`(
      select * from group_participants p where p.workspace_id = ${workspaceId} and p.group_id = ${groupId} ${beyond} ${only}
      order by ${RANK}, p.address collate "C" limit ${limit + 1}
    )`)}) f order by f.rank, f.address collate "C"
  `.execute(db);
  return rows;
}

/**
 * Deletes a file created by a given actor that neither a message nor a group shows.
 * @returns the hash of its content, in hexadecimal; null if there is none
 */
export async function deletePicture(
  db: Db,
  workspaceId: string,
  mediaId: string,
  createdBy: string,
): Promise<string | null> {
  const { rows } = await sql<{ sha256: Buffer | null; size: number | null }>`
    delete from media f
    where f.workspace_id = ${workspaceId} and f.id = ${mediaId} and f.created_by = ${createdBy}
      and not exists (select from messages m where m.workspace_id = f.workspace_id and m.media_id = f.id)
      and not exists (select from groups g where g.workspace_id = f.workspace_id and g.picture_id = f.id)
    returning f.sha256, f.size
  `.execute(db);
  await subtractMediaBytes(
    db,
    workspaceId,
    rows.map(({ size }) => size),
  );
  return rows[0]?.sha256?.toString('hex') ?? null;
}

/**
 * Returns the file that is currently being set as the picture of a chat's group: the row in progress is the chat's
 * first one.
 */
export async function pendingPicture(
  db: Db,
  workspaceId: string,
  chatId: string,
): Promise<{ id: string; sha256: string | null } | null> {
  const { rows } = await sql<{ id: string; sha256: Buffer | null }>`
    select m.id, m.sha256
    from (
      select action, payload -> 'group' as task from send_queue
      where chat_id = ${chatId} and workspace_id = ${workspaceId} order by position limit 1
    ) q
    join media m on m.workspace_id = ${workspaceId} and m.id = (q.task ->> 'picture_id')::uuid
    where q.action = 'group' and q.task ->> 'do' = 'update'
  `.execute(db);
  return rows[0] ? { id: rows[0].id, sha256: rows[0].sha256?.toString('hex') ?? null } : null;
}
