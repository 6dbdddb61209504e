/** Who runs rules: a process holds a lease, and what it claimed is its own while the lease lasts. */
import { sql } from 'kysely';
import type { Database } from '../../../platform/db/database.ts';
import { leaseRows } from '../../../platform/db/lease-rows.ts';

export const { add: addWorker, renew: renewWorker, over: workersOver } = leaseRows('rule_workers');

/**
 * Puts back what a worker has claimed, due at once, and takes it off the list. Its row is locked first, as claims do: none
 * of it comes after what is seen here. @param onlyIfOver does nothing where the lease was renewed. @returns how many
 */
export const releaseAll = (db: Database, worker: string, onlyIfOver: boolean): Promise<number> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql`
      select from rule_workers where id = ${worker} and (lease_until < now() or ${!onlyIfOver})
      for update skip locked
    `.execute(tx);
    if (!rows.length) return 0;
    const { numAffectedRows = 0n } = await sql`
      update rule_queue set claimed_by = null, due_at = least(due_at, now())
      where claimed_by is not null and claimed_by = ${sql.lit(worker)}
    `.execute(tx);
    await sql`delete from rule_workers where id = ${worker}`.execute(tx);
    return Number(numAffectedRows);
  });

/** For a process that stops. */
export const removeWorker = (db: Database, id: string): Promise<number> => releaseAll(db, id, false);
