/** Writes batches of the request log, across workspaces. */
import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';

export interface RequestRow {
  id: string;
  workspace_id: string;
  /** Milliseconds since 1970. */
  created_ms: number;
  method: string;
  operation: string;
  route: string;
  status: number;
  error_code: string | null;
  api_key_id: string | null;
  user_id: string | null;
  /** Public ID of the key or person, for the hourly counts. */
  actor: string;
  actor_name: string;
  address: string;
  duration_ms: number;
}

/**
 * Adds requests and their hourly counts in one statement. Rows that exist already are neither added nor counted again,
 * so a batch whose commit failed with an unknown outcome can be sent again. Rows of deleted workspaces are left out.
 *
 * The rows are one JSON text, which costs the process less than an array for each column.
 *
 * Does not wait for the disk: the log may lose its last moments in a crash of the database.
 */
export async function insertRequests(db: Database, rows: readonly RequestRow[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local synchronous_commit = off`.execute(tx);
    await sql`
      with given as (
        select r.*, to_timestamp(r.created_ms / 1000.0) as created_at
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (
          workspace_id uuid, id uuid, created_ms bigint, method text, operation text, route text, status smallint,
          error_code text, api_key_id uuid, user_id uuid, actor text, actor_name text, address text, duration_ms integer
        )
      ), logged as (
        insert into api_requests (
          workspace_id, id, created_at, method, operation, route, status, error_code, api_key_id, user_id, actor_name,
          address, duration_ms
        )
        select g.workspace_id, g.id, g.created_at, g.method, g.operation, g.route, g.status, g.error_code,
               g.api_key_id, g.user_id, g.actor_name, g.address, g.duration_ms
        from given g join workspaces w on w.id = g.workspace_id and w.deleted_at is null
        on conflict (workspace_id, id) do nothing
        returning workspace_id, id
      )
      insert into request_stats as s (workspace_id, hour, operation, actor, status_class, requests, duration_ms)
      select g.workspace_id, date_trunc('hour', g.created_at, 'UTC'), g.operation, g.actor, g.status / 100, count(*),
             sum(g.duration_ms)
      from given g join logged on logged.workspace_id = g.workspace_id and logged.id = g.id
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      on conflict (workspace_id, hour, operation, actor, status_class) do update
        set requests = s.requests + excluded.requests, duration_ms = s.duration_ms + excluded.duration_ms
    `.execute(tx);
  });
}
