/** Erases data of deliveries and inspectors about events of an erased contact. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Removes request and response texts from attempts for these events; the records stay. */
export async function emptyAttempts(db: Db, workspaceId: string, eventIds: readonly string[]): Promise<void> {
  await sql`
    with concerned as materialized (
      select id from deliveries where workspace_id = ${workspaceId} and event_id = any(${eventIds}::uuid[])
    ), ended as (
      update deliveries d set last_error = null from concerned c
      where d.workspace_id = ${workspaceId} and d.id = c.id and d.last_error is not null
    )
    update delivery_attempts a
    set request_body = null, response_body = null, response_headers = null, error_detail = null
    from concerned c
    where a.workspace_id = ${workspaceId} and a.delivery_id = c.id
      and (a.request_body is not null or a.response_body is not null or a.response_headers is not null
        or a.error_detail is not null)
  `.execute(db);
}

export interface InspectedRow {
  inspector_id: string;
  number: number;
  id: string;
  path: string;
  head_sealed: string;
  body: Buffer;
}

/** Lists requests received by a workspace's inspectors after a given one, in the order of their key. */
export async function inspectedAfter(
  db: Db,
  workspaceId: string,
  after: Pick<InspectedRow, 'inspector_id' | 'number'>,
  limit: number,
): Promise<InspectedRow[]> {
  const { rows } = await sql<InspectedRow>`
    select inspector_id, number, id, path, head_sealed, body from inspector_requests
    where workspace_id = ${workspaceId} and (inspector_id, number) > (${after.inspector_id}::uuid, ${after.number}::bigint)
    order by inspector_id, number limit ${limit}
  `.execute(db);
  return rows;
}

export async function deleteInspected(db: Db, workspaceId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    delete from inspector_requests where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])
  `.execute(db);
}
