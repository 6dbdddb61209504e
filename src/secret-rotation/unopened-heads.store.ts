/** Sealed heads of what the inspectors of a workspace received. */
import { sql } from 'kysely';
import type { Queryable } from '../db/database.ts';

/** Where a request stands in the order of its table's key. */
export interface Place {
  inspector_id: string;
  number: number;
}

export interface HeadRow extends Place {
  id: string;
  head_sealed: string;
}

/** Those beyond a place, in the order of their key. */
export async function headsAfter(
  db: Queryable,
  workspaceId: string,
  after: Place,
  most: number,
): Promise<HeadRow[]> {
  const { rows } = await sql<HeadRow>`
    select inspector_id, number, id, head_sealed from inspector_requests
    where workspace_id = ${workspaceId} and (inspector_id, number) > (${after.inspector_id}::uuid, ${after.number}::bigint)
    order by inspector_id, number limit ${most}
  `.execute(db);
  return rows;
}

/** With all that there is of these requests, but for one that was sealed anew since. @returns how many */
export async function deleteHeads(
  db: Queryable,
  workspaceId: string,
  heads: readonly Pick<HeadRow, 'id' | 'head_sealed'>[],
): Promise<number> {
  if (heads.length === 0) return 0;
  const { numAffectedRows = 0n } = await sql`
    delete from inspector_requests r
    using unnest(${heads.map(({ id }) => id)}::uuid[], ${heads.map((one) => one.head_sealed)}::text[]) g (id, head_sealed)
    where r.workspace_id = ${workspaceId} and r.id = g.id and r.head_sealed = g.head_sealed
  `.execute(db);
  return Number(numAffectedRows);
}
