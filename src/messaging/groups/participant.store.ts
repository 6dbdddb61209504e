/** Rows of who is in groups, for those that change them. What the API shows of them is read with the group. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { GroupRole } from '../channels/connection.ts';

export interface ParticipantRow {
  address: string;
  role: GroupRole;
  /** What the channel calls it. */
  name: string | null;
}

/** Those of addresses that are in a group. */
export async function addressesAmong(
  db: Queryable,
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
