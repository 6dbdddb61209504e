/** Expired keys of all workspaces whose created objects are to be disabled. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Takes up to `limit` of them and marks them. Skips rows that another node is working on. */
export async function takeExpiredKeys(
  db: Db,
  now: Date,
  limit: number,
): Promise<{ workspace_id: string; id: string }[]> {
  const { rows } = await sql<{ workspace_id: string; id: string }>`
    with due as (
      select workspace_id, id from api_keys
      where disable_created_on_end and created_disabled_at is null and revoked_at is null and expires_at <= ${now}
      order by expires_at limit ${limit} for update skip locked
    )
    update api_keys k set created_disabled_at = ${now} from due
    where k.workspace_id = due.workspace_id and k.id = due.id
    returning k.workspace_id, k.id
  `.execute(db);
  return rows;
}
