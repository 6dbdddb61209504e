/**
 * The order in which jobs of a queue take turns, kept in pg-boss's priority: of the jobs of one share that wait, each has
 * the next lower priority, and the first has that of whose turn it is now. So shares take turns, one job each, however
 * many jobs one of them has waiting (start-time fair queueing). Jobs of a share that are enqueued at the same moment may
 * have the same turn.
 */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';

/** Before all turns: somebody waits for it. */
export const URGENT = 1;

const isWaiting = sql`state < 'active' and not blocked`;

/** @param share whose jobs take turns with those of others @returns the priority of its next job, at most 0 */
export async function nextTurn(db: Db, queue: string, share: string): Promise<number> {
  const { rows } = await sql<{ turn: number }>`
    select coalesce(least(
      (select min(priority) - 1 from pgboss.job
       where name = ${queue} and group_id = ${share} and priority <= 0 and ${isWaiting}),
      (select max(priority) from pgboss.job
       where name = ${queue} and priority <= 0 and start_after <= now() and ${isWaiting})
    ), 0) as turn
  `.execute(db);
  return rows[0]!.turn;
}

/** @returns whether jobs of other shares are due. */
export async function othersAreDue(db: Db, queue: string, share: string): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (
      select from pgboss.job
      where name = ${queue} and group_id is distinct from ${share} and start_after <= now() and ${isWaiting}
    ) as due
  `.execute(db);
  return rows[0]!.due;
}
