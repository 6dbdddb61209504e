/** Deletes the click data of a link in batches. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Tables with click data: the column of the link, and the other columns of the primary key. */
const TABLES = {
  clicks: { link: 'link_id', rest: ['id'] },
  link_visitors: { link: 'link_id', rest: ['id'] },
  click_rollups: { link: 'scope_id', rest: ['resolution', 'bucket'] },
  link_counters: { link: 'link_id', rest: [] },
} as const;

export const CLICK_TABLES = Object.keys(TABLES) as (keyof typeof TABLES)[];

/** Deletes rows of a link, at most `limit`. @returns the number of deleted rows */
export async function deleteOfLink(
  db: Db,
  workspaceId: string,
  linkId: string,
  table: keyof typeof TABLES,
  limit: number,
): Promise<number> {
  const { link, rest } = TABLES[table];
  const key = sql.join([link, ...rest].map((column) => sql.ref(column)));
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where workspace_id = ${workspaceId} and (${key}) in (
      select ${key} from ${sql.table(table)} where workspace_id = ${workspaceId} and ${sql.ref(link)} = ${linkId} limit ${limit}
    )
  `.execute(db);
  return Number(numAffectedRows);
}
