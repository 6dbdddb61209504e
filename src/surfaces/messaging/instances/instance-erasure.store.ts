/**
 * Deletes the remaining data of a deleted instance, in batches. It no longer has a row, a connection or a queue, so
 * nothing is added. The tables are read from the catalog, so that tables added later are included.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Data that would still be processed is deleted first, and messages before the chats that they are read with. */
const FIRST = ['send_queue', 'scheduled_messages', 'messages'];

/** Rows of other surfaces that refer to an instance: the results of a publication stay with it. */
const KEPT = ['publication_results', 'webhook_subscriptions'];

/** Tables with rows of instances, as quoted names; a partitioned table represents its partitions. */
export async function instanceTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_class c
    join pg_attribute w on w.attrelid = c.oid and w.attname = 'workspace_id' and not w.attisdropped
    join pg_attribute i on i.attrelid = c.oid and i.attname = 'instance_id' and not i.attisdropped
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname <> all (${KEPT}::text[])
    order by array_position(${FIRST}::text[], c.relname::text), name
  `.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * @param table a name from `instanceTables`
 * @returns the number of deleted rows; reactions are deleted with their messages, and jobs of queued rows have failed
 */
export async function deleteRows(
  db: Db,
  table: string,
  workspaceId: string,
  instanceId: string,
  limit: number,
): Promise<number> {
  const name = sql.raw(table);
  const rows = sql`
    delete from ${name} where workspace_id = ${workspaceId} and ctid = any (array (
      select ctid from ${name} where workspace_id = ${workspaceId} and instance_id = ${instanceId} limit ${limit}
    ))
  `;
  const statement =
    table === 'send_queue'
      ? sql<{ count: number }>`
          with gone as (${rows} returning payload ->> 'job_id' as job_id), ended as (
            update jobs set state = 'failed', updated_at = now(), finished_at = now(),
              error = '{"code": "instance_deleted", "detail": "The instance was deleted before it was done."}'
            where workspace_id = ${workspaceId} and id = any (array (select job_id::uuid from gone where job_id is not null))
              and state in ('queued', 'running')
          ) select count(*) from gone`
      : table === 'messages'
        ? sql<{ count: number }>`
          with gone as (${rows} returning id), reactions as (
            delete from message_reactions where workspace_id = ${workspaceId} and message_id in (select id from gone)
          ) select count(*) from gone`
        : sql<{ count: number }>`with gone as (${rows} returning 1) select count(*) from gone`;
  const { rows: counted } = await statement.execute(db);
  return counted[0]!.count;
}
