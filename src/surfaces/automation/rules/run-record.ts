/**
 * Records the outcome of a step and its run, under the claim of the worker and in one transaction with the writes of
 * the step. If the claim was lost, nothing is written.
 */
import type { RawBuilder } from 'kysely';
import { scheduledDelay } from '../../../platform/time/retry.ts';
import { runBatch } from '../../../platform/db/batch.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { StepError, StepOutcome } from '../ports/outcome.ts';
import { buildRunEvent } from './run-acceptance.ts';
import type { RunStepObject } from './rule-run.schema.ts';
import { moveTo, type RunStatus } from './rule-run-state.ts';
import type { RunRow } from './rule-run-present.ts';
import * as queue from './rule-queue.system-store.ts';
import * as store from './run.store.ts';

/** Delays before retries of a failed step; after them, the run fails. */
export const WAITS_MS: readonly number[] = [10_000, 60_000, 600_000];

/** What follows: the next step, an end, a retry; or the claim was lost. */
export type Recorded = 'next' | 'succeeded' | 'failed' | 'canceled' | 'waits' | 'lost';

export interface Running {
  claimed: queue.Claimed;
  run: RunRow;
}

/** Returns the delay after `tries` attempts; null for no further attempt. */
export const retryDelay = (tries: number): number | null => scheduledDelay(tries, WAITS_MS);

async function end(
  unit: Unit,
  { claimed, run }: Running,
  status: 'succeeded' | 'failed' | 'canceled',
  failure: StepError | null,
  caused: readonly RawBuilder<unknown>[] = [],
): Promise<typeof status> {
  const now = unit.clock();
  Object.assign(run, {
    status: moveTo(run.status as RunStatus, status),
    error_code: failure?.code ?? null,
    error_detail: failure?.detail ?? null,
    finished_at: now,
    updated_at: now,
  });
  const { workspace_id: workspaceId } = run;
  // One statement, and the last one: other runs of this rule wait for its counters.
  await runBatch(unit.db, [
    ...caused,
    store.saving(workspaceId, run),
    queue.removing([claimed.id]),
    status === 'canceled' ? null : store.counting(workspaceId, run.rule_id, { [status]: 1 }),
    await unit.events.insertion(unit, [buildRunEvent(run)]),
  ]);
  return status;
}

/**
 * Checks that the worker still owns the claim and the rule is still enabled. Locks the claim until the end of the
 * transaction.
 */
export async function checkClaim(
  unit: Unit,
  worker: string,
  { claimed }: Running,
): Promise<'lost' | 'canceled' | 'goes on'> {
  const own = await queue.lockClaim(unit.db, worker, claimed.id);
  if (!own) return 'lost';
  return own.enabled ? 'goes on' : 'canceled';
}

/** Cancels a run after `checkClaim` returned `canceled`. */
export const cancelRun = (unit: Unit, running: Running): Promise<Recorded> =>
  end(unit, running, 'canceled', null);

/**
 * Records a failure; the claim must be locked.
 * @param step undefined for an error outside of steps
 */
export async function recordStepError(
  unit: Unit,
  worker: string,
  running: Running,
  step: RunStepObject | undefined,
  { failure, mayPass }: { failure: StepError; mayPass: boolean },
): Promise<Recorded> {
  const { claimed, run } = running;
  const tries = claimed.tries + 1;
  if (step) Object.assign(step, { tries, error: failure });
  const waitMs = mayPass ? retryDelay(tries) : null;
  if (waitMs === null) {
    if (step) Object.assign(step, { status: 'failed', finished_at: unit.clock().toISOString() });
    return end(unit, running, 'failed', failure);
  }
  run.updated_at = unit.clock();
  await store.saving(run.workspace_id, run).execute(unit.db);
  await queue.release(unit.db, worker, [claimed.id], { tries, waitMs });
  return 'waits';
}

/**
 * Records an outcome; the claim must be locked.
 * @param caused statements that register resources created by the step
 */
export async function record(
  unit: Unit,
  worker: string,
  running: Running,
  step: RunStepObject,
  outcome: StepOutcome,
  caused: readonly RawBuilder<unknown>[] = [],
): Promise<Recorded> {
  if (outcome.failure) return recordStepError(unit, worker, running, step, outcome);
  const { claimed, run } = running;
  const now = unit.clock();
  Object.assign(step, {
    status: 'succeeded',
    tries: claimed.tries + 1,
    output: outcome.output,
    error: null,
    finished_at: now.toISOString(),
  });
  if (run.steps.every(({ status }) => status !== 'pending'))
    return end(unit, running, 'succeeded', null, caused);
  run.updated_at = now;
  await runBatch(unit.db, [...caused, store.saving(run.workspace_id, run)]);
  if (claimed.tries) await queue.resetTries(unit.db, claimed.id);
  claimed.tries = 0;
  return 'next';
}

/** Records the end of a run; the claim must be locked. */
export const recordEnd = (unit: Unit, running: Running): Promise<Recorded> =>
  end(unit, running, 'succeeded', null);
