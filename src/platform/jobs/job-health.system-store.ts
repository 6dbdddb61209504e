/** How the jobs of all workspaces stand: what metrics go by. The look is bounded, and by pg-boss's index of live jobs. */
import type pg from 'pg';

export interface JobHealth {
  /** Jobs that are due and not begun, counted up to 100,000. */
  waiting: number;
  /** Seconds that the oldest of those has been due. */
  oldest_due_seconds: number;
}

/** @throws Error while there are no jobs yet: their schema is made at the first start that performs them */
export async function readJobHealth(pool: pg.Pool): Promise<JobHealth> {
  const { rows } = await pool.query<JobHealth>(`
    select count(*)::int as waiting,
           coalesce(max(extract(epoch from now() - start_after)), 0)::float8 as oldest_due_seconds
    from (
      select start_after from pgboss.job where state < 'active' and not blocked and start_after <= now() limit 100000
    ) due
  `);
  return rows[0]!;
}
