/** Reads the state of all instances' queues for metrics. Every query is bounded. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface SendQueueHealth {
  /** Rows that no connection has accepted yet, counted up to 100,000. */
  waiting: number;
  /**
   * Seconds that the oldest of those rows has been due, for any reason, such as a disconnected instance. Read from the
   * 1,000 rows that expire first, which are the oldest if all instances have the same expiry.
   */
  oldest_due_seconds: number;
}

export async function readSendQueueHealth(db: Db): Promise<SendQueueHealth> {
  const { rows } = await sql<SendQueueHealth>`
    select (select count(*) from (select from send_queue limit 100000) waiting) as waiting,
           coalesce((
             select max(extract(epoch from clock_timestamp() - due_at))::float8
             from (select due_at from send_queue order by expires_at limit 1000) first
             where due_at <= now()
           ), 0) as oldest_due_seconds
  `.execute(db);
  return rows[0]!;
}
