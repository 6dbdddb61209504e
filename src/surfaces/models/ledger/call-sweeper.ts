/** Ends calls whose process died: once their lease is over, they are recorded as interrupted and their reservations end. */
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { createPoller, type CycleOutcome, type Poller } from '../../../platform/queue/poller.ts';
import { endAbandoned } from './call-loading.ts';
import { completeCalls } from './completion.ts';
import { findExpiredWorkspaces, lockExpired } from './open-calls.system-store.ts';

const MAX_TOGETHER = 200;
/** Leases last a minute, so that looking more often ends nothing notably earlier. */
const EVERY_MS = 2_000;
const GATHER_MS = 100;
/** Abandoned calls have been inactive for an hour by then. */
const ABANDONED_EVERY_MS = 60_000;

/**
 * Ends the calls whose lease is over.
 * @returns `more` if there may be others
 */
export async function sweepCalls(
  units: Units,
  log: Pick<Log, 'warn'>,
  onInterrupted: (calls: number) => void = () => {},
): Promise<CycleOutcome> {
  const workspaces = await findExpiredWorkspaces(units.read.db, MAX_TOGETHER);
  let isFull = false;
  for (const workspaceId of workspaces) {
    const ended = await units.write(async (unit) => {
      const ids = await lockExpired(unit.db, workspaceId, MAX_TOGETHER);
      return completeCalls(unit, workspaceId, new Map(ids.map((id) => [id, null])));
    });
    if (ended.length) {
      onInterrupted(ended.length);
      log.warn({ workspaceId, calls: ended.length }, 'model calls: ended calls of a dead process');
    }
    isFull ||= ended.length === MAX_TOGETHER;
  }
  return isFull ? 'more' : 'idle';
}

/** @param deps.onInterrupted called with the number of calls that were ended */
export function createCallSweeper(deps: {
  units: Units;
  log: Pick<Log, 'warn'>;
  onInterrupted: (calls: number) => void;
}): Poller {
  const { units, log, onInterrupted } = deps;
  let lastAt = Number.NEGATIVE_INFINITY;
  let abandonedAt = Number.NEGATIVE_INFINITY;
  return createPoller({
    gatherMs: GATHER_MS,
    async cycle() {
      if (performance.now() - lastAt < EVERY_MS) return 'idle';
      if (performance.now() - abandonedAt > ABANDONED_EVERY_MS) {
        abandonedAt = performance.now();
        const ended = await endAbandoned(units);
        if (ended) onInterrupted(ended);
      }
      const outcome = await sweepCalls(units, log, onInterrupted);
      if (outcome === 'idle') lastAt = performance.now();
      return outcome;
    },
    onError: (error, failures) =>
      log.warn({ err: error, failures }, 'model calls: could not end calls of dead processes, retrying'),
  });
}
