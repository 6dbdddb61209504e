/** Reads and cleans up endpoints across all workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { type EndpointRow, type ReceivingEndpoint, getReceiving } from './endpoint.store.ts';

/**
 * Finds the endpoint of a token, even if it is disabled, but not in a deleted workspace.
 * @param hash from `hashToken`
 */
export async function receivingByToken(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<ReceivingEndpoint | undefined> {
  const { rows } = await sql<EndpointRow>`
    select e.* from in_tokens t
    join publishing_endpoints e on e.workspace_id = t.workspace_id and e.id = t.endpoint_id
    join workspaces w on w.id = t.workspace_id and w.deleted_at is null
    where t.hash = ${hash} and (t.expires_at is null or t.expires_at > ${now})
  `.execute(db);
  return rows[0] && getReceiving(rows[0]);
}

/** Invalid requests of one endpoint since they were last written; the rest is about the last of them. */
export interface InvalidRequestsOf {
  workspaceId: string;
  endpointId: string;
  count: number;
  at: Date;
  code: string;
  detail: string;
}

/** Adds invalid requests to the counters, but not those of endpoints that were deleted. */
export async function addInvalidRequests(db: Db, given: readonly InvalidRequestsOf[]): Promise<void> {
  await sql`
    insert into publishing_counters as c
      (workspace_id, endpoint_id, invalid, last_invalid_at, last_invalid_code, last_invalid_detail)
    select w.* from unnest(
      ${given.map(({ workspaceId }) => workspaceId)}::uuid[], ${given.map(({ endpointId }) => endpointId)}::uuid[],
      ${given.map(({ count }) => count)}::bigint[], ${given.map(({ at }) => at)}::timestamptz[],
      ${given.map(({ code }) => code)}::text[], ${given.map(({ detail }) => detail)}::text[]
    ) w (workspace_id, endpoint_id, invalid, last_invalid_at, last_invalid_code, last_invalid_detail)
    join publishing_endpoints e on e.workspace_id = w.workspace_id and e.id = w.endpoint_id
    order by w.workspace_id, w.endpoint_id
    on conflict (workspace_id, endpoint_id) do update
      set invalid = c.invalid + excluded.invalid, last_invalid_at = excluded.last_invalid_at,
        last_invalid_code = excluded.last_invalid_code, last_invalid_detail = excluded.last_invalid_detail
  `.execute(db);
}

/**
 * Deletes expired tokens.
 * @returns the number deleted
 */
export async function deleteExpiredTokens(db: Db, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from in_tokens where hash in (
      select hash from in_tokens where expires_at <= ${now} order by expires_at limit ${limit}
      for update skip locked
    ) returning hash
  `.execute(db);
  return rows.length;
}

/**
 * Deletes previous secrets whose overlap has expired; not an update of the endpoint.
 * @returns the number deleted
 */
export async function deletePreviousSecrets(db: Db, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    update publishing_endpoints e set previous_secret_sealed = null, previous_secret_until = null
    from (
      select workspace_id, id from publishing_endpoints where previous_secret_until <= ${now}
      order by previous_secret_until limit ${limit} for update skip locked
    ) over
    where e.workspace_id = over.workspace_id and e.id = over.id
    returning e.id
  `.execute(db);
  return rows.length;
}
