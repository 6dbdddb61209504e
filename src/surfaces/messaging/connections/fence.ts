/**
 * The fence: a condition and a lock that only let the holder of a connection write for it.
 *
 * It locks the instance's row in `connections`, which a takeover must change. So writes behind the fence are committed
 * before the connection can belong to another node, however long this process is frozen. In the lock order it follows
 * `instances` and precedes `instance_queues`.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import type { Holding } from './connection-lease.ts';

export type Fenced = Pick<Holding, 'instanceId' | 'nodeId' | 'epoch'>;

/**
 * Returns one row if the connection belongs to this holder, otherwise none. Uses the clock instead of the transaction's
 * start, because the transaction may have waited.
 */
const heldBy = ({ instanceId, nodeId, epoch }: Fenced): RawBuilder<unknown> => sql`
  select c.instance_id from connections c
  where c.instance_id = ${instanceId}::uuid and c.node_id = ${nodeId}::uuid and c.epoch = ${epoch}::bigint
    and exists (select from connection_nodes n where n.id = ${nodeId}::uuid and n.lease_until > clock_timestamp())
  for no key update of c
`;

/**
 * Executes the fence as a separate statement.
 * @returns whether this is the holder, which then stays true until the commit
 */
export async function lockHeld(tx: Tx, holding: Fenced): Promise<boolean> {
  const { rows } = await sql`${heldBy(holding)}`.execute(tx);
  return rows.length > 0;
}

/** Executes the fence and stores the position at which receiving continues. @returns whether this is the holder */
export async function lockHeldAt(tx: Tx, holding: Fenced, position: unknown): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with held as materialized (${heldBy(holding)})
    update connections set position = ${JSON.stringify(position)}::jsonb
    from held where connections.instance_id = held.instance_id
  `.execute(tx);
  return numAffectedRows > 0n;
}
