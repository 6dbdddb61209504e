/** Composes the rule engine of a process: fan-out, worker and metrics. */
import type { Registry } from 'prom-client';
import type { Database } from '../../../platform/db/database.ts';
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import type { FanOut } from '../../../core/events/sequencer.system-store.ts';
import { createFairGate } from '../../../platform/limits/fair-gate.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { createAcceptance } from './run-acceptance.ts';
import type { StepDeps } from './run-steps.ts';
import { createRuleFanOut } from './rule-fan-out.ts';
import { createRuleMetrics } from './rule-metrics.ts';
import { readQueueHealth } from './rule-queue.system-store.ts';
import { deleteOldCaused } from './rule-retention.ts';
import { dropWaiting } from './rule-waiting.store.ts';
import { createRuleWorker, type RuleWorkerDeps } from './rule-worker.ts';
import { currentTime } from '../../../platform/time/clock.ts';

/** Concurrent transactions of steps: each is short, and requests need connections as well. */
const MAX_WRITES = 6;

export interface RuleEngineDeps
  extends Omit<StepDeps, 'write' | 'onStep'>, Pick<RuleWorkerDeps, 'control' | 'getPerson'> {
  log: RuleWorkerDeps['log'] & Pick<Log, 'info' | 'error'>;
  db: Database;
  units: Units;
  registry: Registry;
  /** Whether this process runs rules. */
  runs: boolean;
}

export interface RuleEngine {
  fanOut: FanOut;
  /** Called after events were appended to the log: wakes the worker if any may match a rule. */
  onSequenced(): void;
  /** Wakes the worker; a hint that only reduces latency. */
  wake(): void;
  registerJobs(jobs: Jobs): void;
  workspaceDeleted(unit: Unit, workspaceId: string): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export function createRuleEngine(deps: RuleEngineDeps): RuleEngine {
  const { db, units, control, registry, runs, ...rest } = deps;
  const inTurn = createFairGate({ capacity: MAX_WRITES });
  const metrics = createRuleMetrics(registry, {
    read: () => readQueueHealth(control),
    active: () => worker.active(),
    log: deps.log,
  });
  const worker = createRuleWorker({
    ...rest,
    control,
    units,
    write: async (workspaceId, work) => inTurn([await deps.getPerson(workspaceId)], () => units.write(work)),
    acceptance: createAcceptance(units, metrics.ended),
    onStep: metrics.stepped,
    onEnded: metrics.ended,
  });
  let hasQueued = false;
  return {
    fanOut: createRuleFanOut(() => {
      hasQueued = true;
    }),
    onSequenced() {
      if (hasQueued && runs) worker.wake();
      hasQueued = false;
    },
    wake: () => worker.wake(),
    registerJobs: (jobs) =>
      jobs.schedule('caused-resources.delete-old', '52 * * * *', (signal) =>
        deleteOldCaused(db, currentTime(), signal),
      ),
    workspaceDeleted: (unit, workspaceId) => dropWaiting(unit.db, workspaceId),
    start() {
      if (runs) worker.start();
    },
    stop: () => worker.stop(),
  };
}
