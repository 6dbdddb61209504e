/** Groups that nobody needs any more, over all workspaces. */
import { sql } from 'kysely';
import type { Database } from '../../../platform/db/database.ts';

/** Deletes groups in which no account has been since a time, with their members. @returns how many groups; at most `most` */
export async function deleteAbandonedGroups(db: Database, before: Date, limit: number): Promise<number> {
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
