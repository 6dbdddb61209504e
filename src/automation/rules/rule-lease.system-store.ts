/** Who runs rules: a process holds a lease, and what it claimed is its own while the lease lasts. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';

/** May be asked for again where its answer was lost. */
export async function addWorker(db: Database, id: string, leaseMs: number): Promise<void> {
  await sql`
    insert into rule_workers (id, lease_until) values (${id}, now() + ${leaseMs} * interval '1 millisecond')
    on conflict (id) do update set lease_until = excluded.lease_until
  `.execute(db);
}

/** @returns false where the lease was lost: somebody else has its claims. */
export async function renewWorker(db: Database, id: string, leaseMs: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update rule_workers set lease_until = now() + ${leaseMs} * interval '1 millisecond' where id = ${id}
  `.execute(db);
  return numAffectedRows > 0n;
}

/** Workers whose lease is over. */
export async function workersOver(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from rule_workers where lease_until < now() limit 20
  `.execute(db);
  return rows.map(({ id }) => id);
}

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
