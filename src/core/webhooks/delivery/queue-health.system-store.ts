/** The state of the queue across all workspaces, for metrics and readiness. Every query is bounded. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface QueueHealth {
  /** Deliveries that are not over, counted up to 100,000. */
  waiting: number;
  /**
   * Age in seconds of the oldest due delivery whose endpoint is enabled and has free slots and rate, that is, a
   * delivery that a worker should have claimed. Deliveries that wait for a slow receiver don't count.
   */
  stalled_seconds: number;
  /** Seconds that the oldest due delivery has waited, for any reason; over the 1,000 receivers that are due longest. */
  oldest_due_seconds: number;
  failing: number;
  disabled: number;
  workers: number;
}

export async function readQueueHealth(db: Db): Promise<QueueHealth> {
  const { rows } = await sql<QueueHealth>`
    select (select count(*) from (select from delivery_queue limit 100000) waiting) as waiting,
           coalesce((
             -- A webhook without deliveries is due at infinity, which PostgreSQL before 17 can't subtract.
             select extract(epoch from clock_timestamp() - next_due_at)::float8 from receivers
             where enabled and in_flight < slots and next_due_at <= now() order by next_due_at limit 1
           ), 0) as stalled_seconds,
           coalesce((
             select max(extract(epoch from clock_timestamp() - due.due_at))::float8
             from (select id from receivers where enabled and next_due_at < 'infinity' order by next_due_at limit 1000) r
             cross join lateral (
               select due_at from delivery_queue q
               where q.receiver_id = r.id and q.claimed_by is null and q.due_at <= now() order by q.due_at limit 1
             ) due
           ), 0) as oldest_due_seconds,
           (select count(*) from receivers where enabled and failing_since is not null) as failing,
           (select count(*) from receivers where not enabled) as disabled,
           (select count(*) from delivery_workers where lease_until > now()) as workers
  `.execute(db);
  return rows[0]!;
}
