/** How the queues of all instances stand: what metrics go by. Every look is bounded. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface SendQueueHealth {
  /** What connections are still to be asked for, counted up to 100,000. */
  waiting: number;
  /**
   * Seconds that the oldest of those has been due, for whatever reason: its instance may be away. Over the 1,000 that
   * expire first, which are the oldest where all instances keep theirs for as long.
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
