/** Stores the visitors of links per UTC day, across workspaces. */
import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';

export interface Visit {
  workspace_id: string;
  link_id: string;
  /** Built from day and visitor in visitors.ts. */
  id: string;
}

/** Length of an ID as text. */
const ID_LENGTH = 36;

/**
 * Stores visits, in key order.
 * @returns link ID and visit ID, as one text, of visits that were not stored before
 */
export async function addVisits(tx: Tx, visits: readonly Visit[]): Promise<string[]> {
  if (!visits.length) return [];
  const column = (name: keyof Visit) =>
    sql`string_to_array(${visits.map((visit) => visit[name]).join(',')}, ',')::uuid[]`;
  // Returned as one text: as rows of the driver they cost several times as much.
  const { rows } = await sql<{ all: string | null }>`
    with added as (
      insert into link_visitors (workspace_id, link_id, id)
      select * from unnest(${column('workspace_id')}, ${column('link_id')}, ${column('id')}) order by 1, 2, 3
      on conflict do nothing
      returning link_id, id
    )
    select string_agg(link_id::text || id::text, '') as all from added
  `.execute(tx);
  const all = rows[0]!.all ?? '';
  return Array.from({ length: all.length / (2 * ID_LENGTH) }, (_, n) =>
    all.slice(n * 2 * ID_LENGTH, (n + 1) * 2 * ID_LENGTH),
  );
}
