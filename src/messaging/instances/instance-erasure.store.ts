/**
 * Deleting what an instance left behind, some rows at a time. By now it has no row, no connection and no queue to add
 * to, so nothing new comes.
 */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

/** Tables with the instance's rows, what would still be acted on first. */
export const TABLES = [
  'send_queue',
  'scheduled_messages',
  'messages',
  'chats',
  'contact_identities',
  'inbound_seen',
] as const;
export type InstanceTable = (typeof TABLES)[number];

/** @returns how many rows of the table went; reactions go with their messages */
export async function deleteRows(
  db: Queryable,
  table: InstanceTable,
  workspaceId: string,
  instanceId: string,
  most: number,
): Promise<number> {
  const name = sql.table(table);
  const rows = sql`
    delete from ${name} where workspace_id = ${workspaceId} and ctid = any (array (
      select ctid from ${name} where workspace_id = ${workspaceId} and instance_id = ${instanceId} limit ${most}
    ))
  `;
  const statement =
    table === 'messages'
      ? sql<{ count: number }>`
          with gone as (${rows} returning id), reactions as (
            delete from message_reactions where workspace_id = ${workspaceId} and message_id in (select id from gone)
          ) select count(*) from gone`
      : sql<{ count: number }>`with gone as (${rows} returning 1) select count(*) from gone`;
  const { rows: counted } = await statement.execute(db);
  return counted[0]!.count;
}
