/**
 * What became of a step, and of its run: written under the worker's own claim, in one transaction with what the step wrote
 * itself. Where the claim is somebody else's by now nothing is written.
 */
import type { RawBuilder } from 'kysely';
import type { Unit } from '../../../core/unit-of-work.ts';
import type { StepError, StepOutcome } from './actions/outcome.ts';
import { reportOf } from './run-acceptance.ts';
import type { RunStepObject } from './rule-run.schema.ts';
import { moveTo, type RunStatus } from './rule-run-state.ts';
import type { RunRow } from './rule-run-present.ts';
import * as queue from './rule-queue.system-store.ts';
import * as store from './run.store.ts';

/** Waits before a step that failed is tried again: then the run fails. */
export const WAITS_MS: readonly number[] = [10_000, 60_000, 600_000];
const JITTER = 0.2;

/** What comes next: the next step, an end, a wait for another try; or the claim is lost. */
export type Recorded = 'next' | 'succeeded' | 'failed' | 'canceled' | 'waits' | 'lost';

export interface Running {
  claimed: queue.Claimed;
  run: RunRow;
}

/** How long the try after `tries` ones waits; null where there is none. */
export const waitAfter = (tries: number): number | null => {
  const wait = WAITS_MS[tries - 1];
  return wait === undefined ? null : Math.round(wait * (1 + JITTER * (2 * Math.random() - 1)));
};

async function end(
  unit: Unit,
  { claimed, run }: Running,
  status: 'succeeded' | 'failed' | 'canceled',
  fault: StepError | null,
  caused: readonly RawBuilder<unknown>[] = [],
): Promise<typeof status> {
  const now = unit.clock();
  Object.assign(run, {
    status: moveTo(run.status as RunStatus, status),
    error_code: fault?.code ?? null,
    error_detail: fault?.detail ?? null,
    finished_at: now,
    updated_at: now,
  });
  const { workspace_id: workspaceId } = run;
  // In one statement, and the last: whoever else runs this rule waits for its counters.
  await unit.events.writeAll(
    unit,
    [reportOf(run)],
    [
      ...caused,
      store.saving(workspaceId, run),
      queue.removing([claimed.id]),
      ...(status === 'canceled' ? [] : [store.counting(workspaceId, run.rule_id, { [status]: 1 })]),
    ],
  );
  return status;
}

/** Whether the worker still has it, and the rule still runs. The claim is locked until the transaction ends. */
export async function scheduleScan(
  unit: Unit,
  worker: string,
  { claimed }: Running,
): Promise<'lost' | 'canceled' | 'goes on'> {
  const own = await queue.lockClaim(unit.db, worker, claimed.id);
  if (!own) return 'lost';
  return own.enabled ? 'goes on' : 'canceled';
}

/** After `lookAgain` said so. */
export const cancelRun = (unit: Unit, running: Running): Promise<Recorded> =>
  end(unit, running, 'canceled', null);

/** The claim is locked already. @param step undefined for a fault that is no step's own */
export async function recordStepError(
  unit: Unit,
  worker: string,
  running: Running,
  step: RunStepObject | undefined,
  { fault, mayPass }: { fault: StepError; mayPass: boolean },
): Promise<Recorded> {
  const { claimed, run } = running;
  const tries = claimed.tries + 1;
  if (step) Object.assign(step, { tries, error: fault });
  const waitMs = mayPass ? waitAfter(tries) : null;
  if (waitMs === null) {
    if (step) Object.assign(step, { status: 'failed', finished_at: unit.clock().toISOString() });
    return end(unit, running, 'failed', fault);
  }
  run.updated_at = unit.clock();
  await unit.events.writeAll(unit, [], [store.saving(run.workspace_id, run)]);
  await queue.release(unit.db, worker, [claimed.id], { tries, waitMs });
  return 'waits';
}

/** The claim is locked already. @param caused statements that note what the step has made */
export async function record(
  unit: Unit,
  worker: string,
  running: Running,
  step: RunStepObject,
  outcome: StepOutcome,
  caused: readonly RawBuilder<unknown>[] = [],
): Promise<Recorded> {
  if (outcome.fault) return recordStepError(unit, worker, running, step, outcome);
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
  await unit.events.writeAll(unit, [], [...caused, store.saving(run.workspace_id, run)]);
  if (claimed.tries) await queue.resetTries(unit.db, claimed.id);
  claimed.tries = 0;
  return 'next';
}

/** Nothing is left to do. The claim is locked already. */
export const recordEnd = (unit: Unit, running: Running): Promise<Recorded> =>
  end(unit, running, 'succeeded', null);
