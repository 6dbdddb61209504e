/** Keys of all workspaces that are about to expire. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface ExpiringKey {
  workspace_id: string;
  id: string;
  name: string;
  last4: string;
  expires_at: Date;
  /** Public ID of the person or key that made it. */
  created_by: string | null;
  disable_created_on_end: boolean;
  workspace_name: string;
  workspace_slug: string;
}

/**
 * Takes up to `limit` keys that expire before `before` and marks them as reminded; those that were made for a
 * shorter life than the warning are left out. Rows that another node has in hand are passed over.
 */
export async function takeExpiringKeys(
  db: Db,
  now: Date,
  before: Date,
  limit: number,
): Promise<ExpiringKey[]> {
  const { rows } = await sql<ExpiringKey>`
    with due as (
      select workspace_id, id from api_keys
      where revoked_at is null and reminded_at is null and expires_at > ${now} and expires_at <= ${before}
        and expires_at - created_at > ${before}::timestamptz - ${now}::timestamptz
      order by expires_at limit ${limit} for update skip locked
    ), taken as (
      update api_keys k set reminded_at = ${now} from due
      where k.workspace_id = due.workspace_id and k.id = due.id
      returning k.workspace_id, k.id, k.name, k.last4, k.expires_at, k.created_by,
                k.disable_created_on_end
    )
    select taken.*, w.name as workspace_name, w.slug as workspace_slug
    from taken join workspaces w on w.id = taken.workspace_id and w.deleted_at is null
  `.execute(db);
  return rows;
}
