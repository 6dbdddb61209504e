/** Leases of rule workers: a process owns its claims while its lease lasts. */
import { sql } from 'kysely';
import type { Database } from '../../../platform/db/database.ts';
import { leaseRows } from '../../../platform/queue/lease-rows.ts';

const workers = leaseRows('rule_workers');
export const { add: addWorker, renew: renewWorker } = workers;

/**
 * Releases all claims of a worker, due immediately, and removes the worker. Its row is locked first, as claims do, so
 * no claim can follow.
 * @param onlyIfOver does nothing if the lease was renewed
 * @returns the number released
 */
const releaseAll = (db: Database, worker: string, onlyIfOver: boolean): Promise<number> =>
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

/** Removes the worker of a stopping process. */
export const removeWorker = (db: Database, id: string): Promise<number> => releaseAll(db, id, false);

/** Releases the claims of workers whose lease has expired. @returns the number released */
export async function takeOver(db: Database): Promise<number> {
  let released = 0;
  for (const id of await workers.over(db)) released += await releaseAll(db, id, true);
  return released;
}
