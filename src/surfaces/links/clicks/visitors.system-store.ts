/** Who was on a link on a UTC day, of many workspaces at once. */
import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';

export interface Visit {
  workspace_id: string;
  link_id: string;
  /** visitors.ts makes it of day and visitor. */
  id: string;
}

/** Of an id as text. */
const ID_LENGTH = 36;

/**
 * Remembers visits, in the order of their keys.
 * @returns link and id, as one text, of those that nobody had remembered
 */
export async function addVisits(tx: Tx, visits: readonly Visit[]): Promise<string[]> {
  if (!visits.length) return [];
  const column = (name: keyof Visit) =>
    sql`string_to_array(${visits.map((visit) => visit[name]).join(',')}, ',')::uuid[]`;
  // One text: as rows of the driver they would cost several times as much.
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
