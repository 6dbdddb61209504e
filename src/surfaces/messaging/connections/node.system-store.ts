/** Nodes and their leases: the connections of a node belong to it while its lease lasts. */
import { sql } from 'kysely';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { isProvablyDead, thisProcess } from './node-process.ts';

/** May be repeated if the response was lost. */
export async function addNode(db: Database, id: string, leaseMs: number): Promise<void> {
  await sql`
    insert into connection_nodes (id, process, lease_until)
    values (${id}, ${thisProcess()}, clock_timestamp() + ${leaseMs} * interval '1 millisecond')
    on conflict (id) do update set lease_until = excluded.lease_until
  `.execute(db);
}

/** @returns false if the lease was lost: others take its connections */
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
  // A connection is never freed while its holder may still write: it is locked here, and the holder's next fence fails.
  const { numAffectedRows = 0n } = await sql`
    update connections set node_id = null, due_at = now()
    where instance_id in (select instance_id from connections where node_id = ${id} for update skip locked)
  `.execute(tx);
  await sql`
    delete from connection_nodes n where id = ${id} and not exists (select from connections where node_id = ${id})
  `.execute(tx);
  return Number(numAffectedRows);
}

/** Removes a node that stops. */
export const removeNode = (db: Database, id: string): Promise<number> =>
  db.transaction().execute(async (tx) => {
    // Locks the node's row first, as claims do, so that no new connection is claimed after this read.
    await sql`select from connection_nodes where id = ${id} for update`.execute(tx);
    return release(tx, id);
  });

/**
 * Releases the connections of nodes whose lease has expired or whose process is provably dead.
 * @returns their number
 */
export async function takeOver(db: Database): Promise<number> {
  const { rows } = await sql<{ id: string; process: string | null; over: boolean }>`
    select id, process, lease_until < clock_timestamp() as over from connection_nodes
  `.execute(db);
  let freed = 0;
  for (const { id, process, over } of rows) {
    if (!over && !isProvablyDead(process)) continue;
    freed += await db.transaction().execute(async (tx) => {
      // It may have renewed its lease, which a dead node can't do.
      const { rows: still } = await sql`
        select from connection_nodes where id = ${id} and (${!over} or lease_until < clock_timestamp())
        for update skip locked
      `.execute(tx);
      return still.length ? release(tx, id) : 0;
    });
  }
  return freed;
}
