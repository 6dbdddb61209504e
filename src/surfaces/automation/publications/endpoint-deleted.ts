/** Cancels pending publications of a deleted endpoint: handler of the job `publications.cancel`. Idempotent. */
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { performInTurn, UNSHARED } from '../../../platform/jobs/turn.ts';
import { completePublications } from './engine/complete.store.ts';
import { isWaiting, moveTo } from './records/publication-state.ts';
import type { PublicationRow } from './records/publication.store.ts';
import * as store from './waiting.store.ts';

const BATCH = 200;

/**
 * Cancels pending publications and stops retries of failed ones.
 * @returns the number of publications processed
 */
async function cancelSome(unit: Unit, workspaceId: string, endpointId: string): Promise<number> {
  const rows = await store.lockQueuedOfEndpoint(unit.db, workspaceId, endpointId, BATCH);
  const now = unit.clock();
  await completePublications(
    unit,
    rows.map(({ results, ...before }: PublicationRow) => {
      if (isWaiting(before.status)) {
        const status = moveTo(before.status, 'canceled');
        const after = { ...before, status, reason: 'endpoint_deleted', finished_at: now, updated_at: now };
        return { before, after, results, changed: [] };
      }
      const untried = results.map((result) => ({ ...result, next_attempt_at: null }));
      const isOver = before.status !== 'publishing';
      const after = { ...before, finished_at: isOver ? (before.finished_at ?? now) : null, updated_at: now };
      return { before, after, results: untried, changed: untried };
    }),
  );
  return rows.length;
}

/** Executes the job. @returns the payload of its next turn @throws if the turn's signal ends it early */
export async function cancelWaiting(
  units: Units,
  payload: JobPayloads['publications.cancel'],
  turn = UNSHARED,
): Promise<typeof payload | void> {
  const { workspaceId, endpointId } = payload;
  const cancelBatch = async (): Promise<boolean> =>
    (await units.write((unit) => cancelSome(unit, workspaceId, endpointId))) > 0;
  if (!(await performInTurn(turn, cancelBatch))) return payload;
}
