/** The lease of a worker that sends deliveries (db/node-lease.ts): while it lasts, what it claimed is its own. */
import { createNodeLease, type NodeLease, type NodeLeaseOptions } from '../../../platform/db/node-lease.ts';
import { addWorker, removeWorker, renewWorker, takeOver } from './lease.system-store.ts';

const LEASE_MS = 10_000;

export type Lease = NodeLease;

export const createLease = (
  deps: Pick<NodeLeaseOptions, 'db' | 'log' | 'onTakenOver' | 'onLost'>,
): NodeLease =>
  createNodeLease({
    ...deps,
    store: { add: addWorker, renew: renewWorker, remove: removeWorker, takeOver },
    leaseMs: LEASE_MS,
    heldMs: LEASE_MS,
    messages: {
      lost: 'a lease for sending deliveries was lost; others have taken over what was claimed',
      takenOver: 'deliveries of a worker that is gone were taken over',
      notTakenOver: 'deliveries of a worker that is gone still wait',
      notRenewed: 'the lease for sending deliveries could not be renewed',
    },
  });
