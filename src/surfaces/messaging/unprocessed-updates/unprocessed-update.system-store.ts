/** Retention of unprocessed updates, across workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/**
 * Deletes updates that were kept for `days`, or for as long as their workspace keeps messages if that is shorter, and
 * counts them.
 * @returns the number deleted
 */
export async function deleteExpiredUpdates(db: Db, now: Date, days: number, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from unprocessed_updates where (workspace_id, id) in (
        select u.workspace_id, u.id from unprocessed_updates u left join workspaces w on w.id = u.workspace_id
        where u.created_at < ${now}::timestamptz - make_interval(days => least(${days}::int, w.message_retention_days))
        limit ${limit}
      ) returning workspace_id, instance_id
    ), counted as (
      insert into unprocessed_update_counts as c (workspace_id, instance_id, deleted)
      select workspace_id, instance_id, count(*) from gone group by 1, 2
      on conflict (workspace_id, instance_id) do update set deleted = c.deleted + excluded.deleted
    )
    select count(*) from gone
  `.execute(db);
  return rows[0]!.count;
}
