/** Rows of group participants, for changing them. The API reads them with the group. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { GroupRole } from '../../../channels/contract/connection.ts';

export interface ParticipantRow {
  address: string;
  role: GroupRole;
  /** Name of the participant at the channel. */
  name: string | null;
}

/** Returns the addresses that are in a group. */
export async function addressesAmong(
  db: Db,
  workspaceId: string,
  groupId: string,
  addresses: readonly string[],
): Promise<Set<string>> {
  if (!addresses.length) return new Set();
  const { rows } = await sql<{ address: string }>`
    select address from group_participants
    where workspace_id = ${workspaceId} and group_id = ${groupId} and address = any(${addresses}::text[])
  `.execute(db);
  return new Set(rows.map(({ address }) => address));
}

/** Participants of a group, by address. */
export async function readParticipants(
  db: Db,
  workspaceId: string,
  groupId: string,
): Promise<Map<string, ParticipantRow>> {
  const { rows } = await sql<ParticipantRow>`
    select address, role, name from group_participants where workspace_id = ${workspaceId} and group_id = ${groupId}
  `.execute(db);
  return new Map(rows.map((row) => [row.address, row]));
}

/** Adds participants of a group, or changes those that are there. */
export async function upsertParticipants(
  db: Db,
  workspaceId: string,
  { instanceId, groupId }: { instanceId: string; groupId: string },
  participants: readonly ParticipantRow[],
  now: Date,
): Promise<void> {
  if (!participants.length) return;
  await sql`
    insert into group_participants (workspace_id, instance_id, group_id, address, role, name, created_at)
    select ${workspaceId}::uuid, ${instanceId}::uuid, ${groupId}::uuid, address, role, name, ${now}::timestamptz
    from unnest(
      ${participants.map(({ address }) => address)}::text[], ${participants.map(({ role }) => role)}::text[],
      ${participants.map(({ name }) => name)}::text[]
    ) p (address, role, name)
    on conflict (workspace_id, group_id, address) do update set role = excluded.role, name = excluded.name
  `.execute(db);
}

export async function removeParticipants(
  db: Db,
  workspaceId: string,
  groupId: string,
  addresses: readonly string[],
): Promise<void> {
  if (!addresses.length) return;
  await sql`
    delete from group_participants
    where workspace_id = ${workspaceId} and group_id = ${groupId} and address = any(${addresses}::text[])
  `.execute(db);
}

/**
 * Erases a person from a batch of an instance's groups: only the person's names if the account is in the group,
 * otherwise the whole participant. Call after `lockQueue`.
 * @returns the number of groups, at most `limit`
 */
export async function erasePerson(
  db: Db,
  workspaceId: string,
  { instance_id: instanceId, address }: { instance_id: string; address: string },
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with found as materialized (
      select p.group_id, g.membership = 'joined' as is_in from group_participants p
      join groups g on g.workspace_id = p.workspace_id and g.id = p.group_id
      where p.workspace_id = ${workspaceId} and p.instance_id = ${instanceId} and p.address = ${address}
        and (p.name is not null or g.membership <> 'joined')
      order by p.group_id limit ${limit} for update of g
    ), gone as (
      delete from group_participants p using found f
      where not f.is_in and p.workspace_id = ${workspaceId} and p.group_id = f.group_id and p.address = ${address}
      returning p.group_id
    ), counted as (
      update groups g set participants = g.participants - 1, version = g.version + 1 from gone
      where g.workspace_id = ${workspaceId} and g.id = gone.group_id
    ), unnamed as (
      update group_participants p set name = null from found f
      where f.is_in and p.workspace_id = ${workspaceId} and p.group_id = f.group_id and p.address = ${address}
    )
    select count(*)::int as count from found
  `.execute(db);
  return rows[0]!.count;
}
