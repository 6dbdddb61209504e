/** Stores sandbox groups, across workspaces. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { GroupRole } from '../../contract/connection.ts';
import { toName } from './sandbox-address.ts';
import { writeSignals } from './sandbox-signal.ts';
import type { Draft, Group, MemberSignal } from './group.ts';
import type { Accounts } from './group-rules.ts';

interface Row {
  subject: string;
  description: string | null;
  announce_only: boolean;
  locked: boolean;
  members_only: boolean;
  invite: string;
  picture_sha256: string | null;
  members: { address: string; role: GroupRole | 'banned'; instance_id: string | null; name: string | null }[];
}

function getGroup(id: string, row: Row): Group {
  const present = row.members.filter(({ role }) => role !== 'banned');
  return {
    id,
    subject: row.subject,
    description: row.description,
    settings: { announceOnly: row.announce_only, locked: row.locked, membersOnly: row.members_only },
    invite: row.invite,
    pictureSha256: row.picture_sha256,
    members: new Map(
      present.map(({ address, role, instance_id: instanceId, name }) => [
        address,
        { address, role: role as GroupRole, instanceId, name: name ?? toName(address) },
      ]),
    ),
    banned: new Set(row.members.filter(({ role }) => role === 'banned').map(({ address }) => address)),
  };
}

/** Reads a group with all of its members. */
export async function readGroup(db: Db, workspaceId: string, id: string): Promise<Group | undefined> {
  const { rows } = await sql<Row>`
    select g.subject, g.description, g.announce_only, g.locked, g.members_only, g.invite, g.picture_sha256, (
      select coalesce(json_agg(json_build_object(
        'address', m.address, 'role', m.role, 'instance_id', m.instance_id, 'name', i.name
      ) order by m.n), '[]')
      from sandbox_group_members m
      left join instances i on i.workspace_id = m.workspace_id and i.id = m.instance_id
      where m.workspace_id = g.workspace_id and m.group_id = g.id
    ) as members
    from sandbox_groups g where g.workspace_id = ${workspaceId} and g.id = ${id}
  `.execute(db);
  return rows[0] && getGroup(id, rows[0]);
}

/** Locks a group until the transaction ends, and reads it. */
export async function lockGroup(tx: Tx, workspaceId: string, id: string): Promise<Group | undefined> {
  await sql`select from sandbox_groups where workspace_id = ${workspaceId} and id = ${id} for update`.execute(
    tx,
  );
  return readGroup(tx, workspaceId, id);
}

/** Creates an empty group if it does not exist. @returns whether it was created */
export async function insertGroup(tx: Tx, workspaceId: string, group: Group): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into sandbox_groups (workspace_id, id, subject, invite)
    values (${workspaceId}, ${group.id}, ${group.subject}, ${group.invite})
    on conflict (workspace_id, id) do nothing
  `.execute(tx);
  return numAffectedRows > 0n;
}

/** Stores the differences. The caller has locked the group. */
export async function writeGroup(tx: Tx, workspaceId: string, before: Group, after: Draft): Promise<void> {
  const { id, settings } = after;
  if (after.isDestroyed) {
    await sql`delete from sandbox_group_members where workspace_id = ${workspaceId} and group_id = ${id}`.execute(
      tx,
    );
    await sql`delete from sandbox_groups where workspace_id = ${workspaceId} and id = ${id}`.execute(tx);
    return;
  }
  const hasAccounts = [...after.members.values()].some(({ instanceId }) => instanceId !== null);
  await sql`
    update sandbox_groups set subject = ${after.subject}, description = ${after.description},
      announce_only = ${settings.announceOnly}, locked = ${settings.locked}, members_only = ${settings.membersOnly},
      invite = ${after.invite}, picture_sha256 = ${after.pictureSha256},
      abandoned_at = case when not ${hasAccounts}::boolean then coalesce(abandoned_at, now()) end
      ${after.picture === undefined ? sql`` : sql`, picture = ${after.picture}`}
    where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx);
  const wanted = [
    ...[...after.members.values()].map(({ address, role, instanceId }) => ({ address, role, instanceId })),
    ...[...after.banned].map((address) => ({ address, role: 'banned', instanceId: null })),
  ];
  const kept = new Set(wanted.map(({ address }) => address));
  const known = [...before.members.keys(), ...before.banned];
  const goes = known.filter((address) => !kept.has(address));
  if (goes.length)
    await sql`
      delete from sandbox_group_members
      where workspace_id = ${workspaceId} and group_id = ${id} and address = any (${goes}::text[])
    `.execute(tx);
  const changed = wanted.filter(({ address, role, instanceId }) => {
    if (role === 'banned') return !before.banned.has(address);
    const was = before.members.get(address);
    return was?.role !== role || was.instanceId !== instanceId;
  });
  if (changed.length)
    await sql`
      insert into sandbox_group_members (workspace_id, group_id, address, role, instance_id)
      select ${workspaceId}, ${id}, m.address, m.role, m.instance_id
      from unnest(
        ${changed.map(({ address }) => address)}::text[], ${changed.map(({ role }) => role)}::text[],
        ${changed.map(({ instanceId }) => instanceId)}::uuid[]
      ) with ordinality as m (address, role, instance_id, nth) order by nth
      on conflict (workspace_id, group_id, address) do update
        set role = excluded.role, instance_id = excluded.instance_id
    `.execute(tx);
}

export interface NewInboxRow extends Omit<MemberSignal, 'signal'> {
  /** Stored signals. */
  signals: string;
  afterMs: number;
  /** The account that gets the delivery receipt. */
  senderId: string | null;
}

/** Inserts inbox rows. Delays count from this statement, not from the start of the transaction. */
export async function insertInboxRows(
  db: Db,
  workspaceId: string,
  rows: readonly NewInboxRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into sandbox_inbox (workspace_id, instance_id, due_at, signals, sender_id)
    select ${workspaceId}, d.instance_id, clock.now + d.after_ms * interval '1 millisecond', d.signals, d.sender_id
    from (select clock_timestamp() as now) clock, unnest(
      ${rows.map(({ instanceId }) => instanceId)}::uuid[], ${rows.map(({ afterMs }) => afterMs)}::int[],
      ${rows.map(({ signals }) => signals)}::text[], ${rows.map(({ senderId }) => senderId)}::uuid[]
    ) with ordinality as d (instance_id, after_ms, signals, sender_id, nth)
    order by nth
  `.execute(db);
}

export const toInboxRow = ({ instanceId, signal }: MemberSignal): NewInboxRow => ({
  instanceId,
  signals: writeSignals([signal]),
  afterMs: 0,
  senderId: null,
});

/** Finds the accounts of the workspace among the addresses. */
export async function findAccounts(
  db: Db,
  workspaceId: string,
  addresses: readonly string[],
): Promise<Accounts> {
  if (addresses.length === 0) return new Map();
  const rows = await db
    .selectFrom('instances')
    .select(['id', 'address', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('channel', '=', 'sandbox')
    .where('address', 'in', [...addresses])
    .execute();
  return new Map(rows.map(({ id, address, name }) => [address!, { instanceId: id, name }]));
}

/** Lists the groups of an account, newest first, with its address in each. */
export async function listGroupsOfAccount(
  db: Db,
  workspaceId: string,
  instanceId: string,
  limit: number,
): Promise<{ id: string; address: string }[]> {
  const rows = await db
    .selectFrom('sandbox_group_members')
    .select(['group_id', 'address'])
    .where('workspace_id', '=', workspaceId)
    .where('instance_id', '=', instanceId)
    .where('role', '<>', 'banned')
    .orderBy('n', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ group_id: id, address }) => ({ id, address }));
}

/** Reads the picture; null if there is none. */
export async function readPicture(db: Db, workspaceId: string, id: string): Promise<Buffer | null> {
  const row = await db
    .selectFrom('sandbox_groups')
    .select('picture')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.picture ?? null;
}

/** Records that a message was accepted. @returns when, and whether this call recorded it */
export async function recordSent(
  db: Db,
  workspaceId: string,
  instanceId: string,
  clientId: string,
  groupId: string,
): Promise<{ acceptedAt: Date; isNew: boolean }> {
  const { rows } = await sql<{ taken_at: Date; is_new: boolean }>`
    with taken as (
      insert into sandbox_sent (instance_id, client_id, workspace_id, group_id)
      values (${instanceId}, ${clientId}, ${workspaceId}, ${groupId})
      on conflict (instance_id, client_id) do nothing
      returning taken_at
    )
    select taken_at, true as is_new from taken
    union all
    select taken_at, false from sandbox_sent where instance_id = ${instanceId} and client_id = ${clientId}
  `.execute(db);
  const [row] = rows;
  // A concurrent transaction recorded it, which the snapshot of this statement does not show.
  return row ? { acceptedAt: row.taken_at, isNew: row.is_new } : { acceptedAt: new Date(), isNew: false };
}

/** Deletes groups that have had no account since `before`, with their members. @returns number of deleted groups */
export async function deleteAbandonedGroups(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from sandbox_groups where (workspace_id, id) in (
        select workspace_id, id from sandbox_groups where abandoned_at < ${before} limit ${limit} for update skip locked
      ) returning workspace_id, id
    ), members as (
      delete from sandbox_group_members m using gone
      where m.workspace_id = gone.workspace_id and m.group_id = gone.id
    )
    select count(*)::int as count from gone
  `.execute(db);
  return rows[0]!.count;
}
