/** Who was on a link on a UTC day, of many workspaces at once. */
import { sql } from 'kysely';
import type { Transaction } from '../../db/database.ts';

export interface Visit {
  workspace_id: string;
  link_id: string;
  /** visitors.ts makes it of day and visitor. */
  id: string;
}

/** Remembers visits, in the order of their keys. @returns ids with their links of those that nobody had remembered */
export async function addVisits(tx: Transaction, visits: readonly Visit[]): Promise<Visit[]> {
  if (!visits.length) return [];
  const column = (name: keyof Visit) =>
    sql`string_to_array(${visits.map((visit) => visit[name]).join(',')}, ',')::uuid[]`;
  const { rows } = await sql<Visit>`
    insert into link_visitors (workspace_id, link_id, id)
    select * from unnest(${column('workspace_id')}, ${column('link_id')}, ${column('id')}) order by 1, 2, 3
    on conflict do nothing
    returning workspace_id, link_id, id
  `.execute(tx);
  return rows;
}
