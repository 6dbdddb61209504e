/** Claims model providers of all workspaces whose model lists are due to be read. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Claims providers that are due, the longest overdue first, for `leaseSeconds`. */
export async function claimDueProviders(
  db: Db,
  now: Date,
  limit: number,
  leaseSeconds: number,
): Promise<{ workspace_id: string; id: string }[]> {
  const { rows } = await sql<{ workspace_id: string; id: string }>`
    update model_providers p set refresh_at = ${now}::timestamptz + make_interval(secs => ${leaseSeconds})
    from (
      select workspace_id, id from model_providers
      where enabled and refresh_at <= ${now} order by refresh_at limit ${limit}
      for update skip locked
    ) due
    where p.workspace_id = due.workspace_id and p.id = due.id
    returning p.workspace_id, p.id
  `.execute(db);
  return rows;
}
