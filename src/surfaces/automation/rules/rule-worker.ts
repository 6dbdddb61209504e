/**
 * Poller that runs rules; any number of processes may run it concurrently. A cycle claims due rows, round-robin over
 * workspaces; persons share the slots of this process (rule-shares.ts). Each claimed run then proceeds independently. Its claim always ends: completed,
 * released, or recovered by another process after the lease is lost.
 */
import { isSerializationFailure, isTransientError, type Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { CycleOutcome } from '../../../platform/queue/poller.ts';
import { createFairSlots } from '../../../platform/limits/fair-slots.ts';
import { createWorkQueue } from '../../../platform/queue/work-queue.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { startSpan, traced } from '../../../platform/tracing/tracing.ts';
import type { GetPerson } from '../../../core/auth/person-lookup.ts';
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { countByWorkspace, shareSlots } from './rule-shares.ts';
import type { Acceptance } from './run-acceptance.ts';
import { begin, FilterWaits, load, type Loaded } from './run-begin.ts';
import { cancelRun, type Recorded, recordStepError, retryDelay } from './run-record.ts';
import { type ActiveRun, executeRun, type StepDeps } from './run-steps.ts';
import { addWorker, removeWorker, renewWorker, takeOver } from './rule-lease.system-store.ts';
import * as store from './rule-queue.system-store.ts';

/** Maximum active runs per process that are not slow. */
const CAPACITY = 96;
/** Steps wait for models and webhooks. */
const SLOW = { afterMs: 5_000, places: 192 };
/** Maximum workspaces per cycle. */
const MAX_SPACES = 100;
const LEASE_MS = 8_000;
/** Shorter than the lease: a call started at the last moment has completed or been aborted before it expires. */
const HELD_MS = 7_000;
const GATHER_MS = 3;
const DRAIN_MS = 4_000;
/** Delay while the database or the renderer is unavailable. */
const UNAVAILABLE_DELAY_MS = 1_000;
/** Delay after a serialization failure. */
const CONFLICT_DELAY_MS = 30;
const LAST_TRY_MS = 600_000;
const OVER: ReadonlySet<string> = new Set(['succeeded', 'failed', 'canceled']);
const OWN_FAULT = {
  code: 'internal_error',
  detail: 'The step could not be executed because of an internal error.',
};

export interface RuleWorkerDeps extends StepDeps {
  /** Pool that does not queue behind requests. */
  control: Database;
  units: Units;
  acceptance: Acceptance;
  getPerson: GetPerson;
  /** Reports completed runs by status. */
  onEnded: (status: string, count: number) => void;
  log: Pick<Log, 'warn' | 'error'>;
}

export interface RuleWorker {
  start(): void;
  /** Wakes the worker. */
  wake(): void;
  /** Lets active runs finish for a few seconds, then releases the rest. */
  stop(): Promise<void>;
  active(): number;
}

/** Runs the rule as a span of the trace of its event. */
function runTraced({ claimed, event }: Loaded, work: () => Promise<void>): Promise<void> {
  const attributes = {
    'fairlead.workspace.id': publicId('workspace', claimed.workspace_id),
    'fairlead.rule.id': publicId('rule', claimed.rule_id),
    'fairlead.rule_run.id': publicId('rule_run', claimed.id),
    'fairlead.event.type': event?.type,
  };
  return traced(startSpan('rule.run', 'consumer', attributes, event?.traceparent ?? null), work);
}

export function createRuleWorker(deps: RuleWorkerDeps): RuleWorker {
  const { control: db, units, log } = deps;
  const slots = createFairSlots({ capacity: CAPACITY, slow: SLOW });
  let after = FIRST_UUID;

  const requeue = (worker: string, claimed: store.Claimed, waitMs: number, tries = claimed.tries) =>
    store.release(db, worker, [claimed.id], { tries, waitMs });

  /** Internal errors: retried like a failed step, then the run fails. */
  const giveUp = async (worker: string, loaded: Loaded): Promise<void> => {
    const { claimed, rule, event, run } = loaded;
    const waitMs = retryDelay(claimed.tries + 1);
    if (waitMs !== null) return requeue(worker, claimed, waitMs, claimed.tries + 1);
    if (run)
      await units.write(async (unit) => {
        if (!(await store.lockClaims(unit.db, worker, [claimed.id])).has(claimed.id)) return;
        const step = run.steps.find(({ status }) => status === 'pending');
        await recordStepError(unit, worker, { claimed, run }, step, { failure: OWN_FAULT, mayPass: false });
      });
    else if (rule && event)
      await deps.acceptance.accept(worker, { claimed, rule, event, verdict: { failed: OWN_FAULT } });
  };

  /** Drops a row whose rule or event is gone. */
  const drop = (worker: string, { claimed, run }: Loaded): Promise<Recorded> =>
    units.write(async (unit: Unit) => {
      if (!(await store.lockClaims(unit.db, worker, [claimed.id])).has(claimed.id)) return 'lost';
      if (run) return cancelRun(unit, { claimed, run });
      await store.removeRows(unit.db, [claimed.id]);
      return 'canceled';
    });

  const runOne = async (worker: string, loaded: Loaded, signal: AbortSignal): Promise<void> => {
    const { claimed, rule, event } = loaded;
    let run: ActiveRun | null = null;
    try {
      if (!rule || !event || (claimed.started && !loaded.run)) return void (await drop(worker, loaded));
      run = await begin(deps, worker, { ...loaded, rule, event });
      if (!run) return;
      const recorded = await executeRun(deps, worker, run, signal);
      if (OVER.has(recorded)) deps.onEnded(recorded, 1);
    } catch (error) {
      if (queue.claimer() !== worker) return; // the claim was lost with the lease
      if (signal.aborted) {
        // The lease was renewed too late. If no other process recovered it, the lease and this claim continue.
        queue.requestRecovery();
        return;
      }
      const isAway = isTransientError(error) || (error instanceof Problem && error.status >= 500);
      try {
        if (error instanceof FilterWaits)
          await requeue(worker, claimed, retryDelay(claimed.tries + 1)!, claimed.tries + 1);
        else if (isAway)
          await requeue(
            worker,
            claimed,
            isSerializationFailure(error) ? CONFLICT_DELAY_MS : UNAVAILABLE_DELAY_MS,
          );
        else {
          log.error({ err: error, run: claimed.id }, 'rule engine: run failed with an internal error');
          await giveUp(worker, { ...loaded, run: run?.run ?? loaded.run });
        }
      } catch (second) {
        log.error({ err: second, run: claimed.id }, 'rule engine: could not release run, retrying');
        await requeue(worker, claimed, LAST_TRY_MS).catch(queue.requestRecovery);
      }
    }
  };

  const dispatch = async (
    claimed: store.Claimed[],
    worker: string,
    persons: ReadonlyMap<string, string>,
  ): Promise<void> => {
    const signal = queue.signal();
    for (const one of claimed) queue.active.set(one.id, one);
    const held = new Map(
      claimed.map(({ id, workspace_id: workspaceId }) => [id, slots.take(persons.get(workspaceId)!)]),
    );
    const finish = (id: string): void => {
      held.get(id)!.release();
      if (queue.claimer() === worker) queue.active.delete(id);
      queue.wake();
    };
    try {
      for (const loaded of await load(db, claimed))
        void runTraced(loaded, () => runOne(worker, loaded, signal)).finally(() => finish(loaded.claimed.id));
    } catch (error) {
      log.warn({ err: error, runs: claimed.length }, 'rule engine: could not load runs, releasing them');
      queue.requestRecovery();
      for (const { id } of claimed) finish(id);
    }
  };

  const recover = async (worker: string): Promise<void> => {
    const lost = (await store.claimedBy(db, worker)).filter((id) => !queue.active.has(id));
    await store.release(db, worker, lost, { waitMs: CONFLICT_DELAY_MS });
  };

  const cycle = async (worker: string): Promise<CycleOutcome> => {
    if (!queue.isOpen() || slots.free() === 0) return 'idle';
    const found = await store.workspacesDue(db, after, MAX_SPACES);
    const wrapped = found.length < MAX_SPACES;
    const scanned = after;
    after = wrapped ? FIRST_UUID : found.at(-1)!.workspace_id;
    const due = found.flatMap((one) => (one.due ? [one.workspace_id] : []));
    const persons = new Map(
      await Promise.all(due.map(async (id): Promise<[string, string]> => [id, await deps.getPerson(id)])),
    );
    const capacity = shareSlots(slots, persons, countByWorkspace(queue.active.values()));
    const beyond = wrapped && scanned === FIRST_UUID ? 'idle' : 'more';
    if (!capacity.length) return beyond;
    const claimed = await store.claim(db, worker, capacity);
    if (claimed === null) return 'busy';
    if (queue.claimer() !== worker || !claimed.length) return beyond;
    void dispatch(claimed, worker, persons);
    return 'more';
  };

  const queue = createWorkQueue<store.Claimed>({
    name: 'rule engine',
    db,
    log,
    store: { add: addWorker, renew: renewWorker, remove: removeWorker, takeOver },
    leaseMs: LEASE_MS,
    heldMs: HELD_MS,
    gatherMs: GATHER_MS,
    drainMs: DRAIN_MS,
    cycle,
    recover,
  });
  return { wake: queue.wake, start: queue.start, stop: queue.stop, active: () => queue.active.size };
}
