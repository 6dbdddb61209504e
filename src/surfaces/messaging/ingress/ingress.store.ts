/** The stored parts of requests. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Maximum number of parts that wait for one instance. */
const MAX_WAITING = 100_000;

export interface NewPart {
  instanceId: string;
  partId: string;
  body: string;
}

/**
 * Stores the parts of a request in order; repeated ones are skipped. One statement, so that either all are stored or
 * none.
 * @returns whether there was space for all of them
 */
export async function insertParts(db: Db, workspaceId: string, parts: readonly NewPart[]): Promise<boolean> {
  const instanceIds = parts.map((part) => part.instanceId);
  const { rows } = await sql<{ is_full: boolean }>`
    with given as (
      select * from unnest(
        ${instanceIds}::uuid[], ${parts.map((part) => part.partId)}::text[], ${parts.map((part) => part.body)}::text[]
      ) with ordinality as t (instance_id, part_id, body, nth)
    ), waiting as (
      select i.id, (
        select count(*) from (
          select 1 from ingress_parts p where p.workspace_id = ${workspaceId} and p.instance_id = i.id limit ${MAX_WAITING}
        ) counted
      ) as count
      from (select distinct unnest(${instanceIds}::uuid[]) as id) i
    ), is_full as (
      select coalesce(bool_or(count >= ${MAX_WAITING}), false) as is_full from waiting
    ), stored as (
      insert into ingress_parts (workspace_id, instance_id, part_id, body)
      select ${workspaceId}, instance_id, part_id, body from given, is_full where not is_full order by nth
      on conflict (workspace_id, instance_id, part_id) do nothing
    )
    select is_full from is_full
  `.execute(db);
  return !rows[0]!.is_full;
}
