/** Reads the health of connections across workspaces, for metrics and readiness. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface ConnectionHealth {
  /** Seconds that the longest waiting connection has been due without a holder. */
  stalled_seconds: number;
  /** Connections held by nodes, including those being opened. */
  held: number;
  /** Nodes that hold connections or are ready to. */
  nodes: number;
}

export async function readConnectionHealth(db: Db): Promise<ConnectionHealth> {
  const { rows } = await sql<ConnectionHealth>`
    select coalesce((
             select extract(epoch from clock_timestamp() - due_at)::float8 from connections
             where wanted and node_id is null and due_at <= now() order by due_at limit 1
           ), 0) as stalled_seconds,
           (select count(*) from connections where node_id is not null) as held,
           (select count(*) from connection_nodes where lease_until > now()) as nodes
  `.execute(db);
  return rows[0]!;
}

export async function countByState(db: Db): Promise<{ state: string; count: number }[]> {
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*) as count from instances group by state
  `.execute(db);
  return rows;
}
