/** Who holds connections: a node has a lease, and what it holds is its own while that lasts. */
import { sql } from 'kysely';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { isProvablyDead, thisProcess } from './node-process.ts';

/** May be asked for again where its answer was lost. */
export async function addNode(db: Database, id: string, leaseMs: number): Promise<void> {
  await sql`
    insert into connection_nodes (id, process, lease_until)
    values (${id}, ${thisProcess()}, clock_timestamp() + ${leaseMs} * interval '1 millisecond')
    on conflict (id) do update set lease_until = excluded.lease_until
  `.execute(db);
}

/** @returns false where the lease was lost: others take its connections. */
export async function renewNode(db: Database, id: string, leaseMs: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update connection_nodes set lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond' where id = ${id}
  `.execute(db);
  return numAffectedRows > 0n;
}

/**
 * Releases a node's connections immediately and removes the node. A connection that a transaction of the node still
 * writes for is skipped; the node then stays for the next attempt.
 * @returns number of released connections
 */
async function release(tx: Tx, id: string): Promise<number> {
  // An epoch that its holder may still write under is never free: locked here, a fence finds it gone afterwards.
  const { numAffectedRows = 0n } = await sql`
    update connections set node_id = null, due_at = now()
    where instance_id in (select instance_id from connections where node_id = ${id} for update skip locked)
  `.execute(tx);
  await sql`
    delete from connection_nodes n where id = ${id} and not exists (select from connections where node_id = ${id})
  `.execute(tx);
  return Number(numAffectedRows);
}

/** For a node that stops. */
export const removeNode = (db: Database, id: string): Promise<number> =>
  db.transaction().execute(async (tx) => {
    // Its row first, as claims do: so none of it comes to be after what is seen here.
    await sql`select from connection_nodes where id = ${id} for update`.execute(tx);
    return release(tx, id);
  });

/**
 * Frees what nodes held whose lease is over, or whose process is provably dead.
 * @returns how many connections
 */
export async function takeOver(db: Database): Promise<number> {
  const { rows } = await sql<{ id: string; process: string | null; over: boolean }>`
    select id, process, lease_until < clock_timestamp() as over from connection_nodes
  `.execute(db);
  let freed = 0;
  for (const { id, process, over } of rows) {
    if (!over && !isProvablyDead(process)) continue;
    freed += await db.transaction().execute(async (tx) => {
      // It may have renewed its lease, which a dead node can't.
      const { rows: still } = await sql`
        select from connection_nodes where id = ${id} and (${!over} or lease_until < clock_timestamp())
        for update skip locked
      `.execute(tx);
      return still.length ? release(tx, id) : 0;
    });
  }
  return freed;
}
