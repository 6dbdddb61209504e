/** The lease of a rule worker (db/node-lease.ts): it owns its claims while the lease lasts. */
import type { Database } from '../../../platform/db/database.ts';
import { createNodeLease, type NodeLease, type NodeLeaseOptions } from '../../../platform/db/node-lease.ts';
import { addWorker, releaseAll, removeWorker, renewWorker, workersOver } from './rule-lease.system-store.ts';

const LEASE_MS = 8_000;
/** Shorter than the lease: a call started at the last moment has completed or been aborted before it expires. */
const HELD_MS = 7_000;

async function takeOver(db: Database): Promise<number> {
  let released = 0;
  for (const id of await workersOver(db)) released += await releaseAll(db, id, true);
  return released;
}

export const createRuleLease = (
  deps: Pick<NodeLeaseOptions, 'db' | 'log' | 'onTakenOver' | 'onLost'>,
): NodeLease =>
  createNodeLease({
    ...deps,
    store: { add: addWorker, renew: renewWorker, remove: removeWorker, takeOver },
    leaseMs: LEASE_MS,
    heldMs: HELD_MS,
    messages: {
      lost: 'rule engine: lease lost, other processes have recovered its runs',
      takenOver: 'rule engine: recovered runs of a dead process',
      notTakenOver: 'rule engine: could not recover runs of a dead process, retrying',
      notRenewed: 'rule engine: could not renew lease',
    },
  });
