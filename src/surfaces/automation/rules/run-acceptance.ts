/**
 * Decides about events after their filter was evaluated: starts a run, stops it, or only counts. Concurrent events of
 * one rule share a transaction, so that a flood needs few of them. Rate limit and loop guard decide under the lock of
 * the counters of the rule, across all processes.
 */
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import { runBatch } from '../../../platform/db/batch.ts';
import { createBatcher } from '../../../core/unit/batcher.ts';
import type { NewEvent } from '../../../core/unit/event-writer.ts';
import type { EventRow } from '../../../core/events/event.store.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { StepError } from '../ports/outcome.ts';
import { getCausationChain } from './rule-chain.ts';
import type { RunStepObject } from './rule-run.schema.ts';
import { presentRunForEvent, type RunRow } from './rule-run-present.ts';
import { MAX_DEPTH, type RunStatus, type Stop } from './rule-run-state.ts';
import * as queue from './rule-queue.system-store.ts';
import type { RuleRow } from './rule.store.ts';
import * as store from './run.store.ts';

/** Maximum events per transaction. */
const MAX_TOGETHER = 100;
/** Stops reported per rule and minute; further ones are only counted. */
const MAX_STOPS_TOLD = 20;

const STOPPED: Record<Stop, string> = {
  loop: 'The rule itself caused this event.',
  depth: `More than ${MAX_DEPTH} rules in a row led to this event.`,
  rate_limited: 'The rule has used up its rate limit.',
};

/** `skip`: the filter did not match. `failed`: the filter could not be evaluated. */
export type Verdict = 'start' | 'skip' | 'loop' | 'depth' | { failed: StepError };

export interface RunRequest {
  claimed: queue.Claimed;
  rule: RuleRow;
  event: EventRow;
  verdict: Verdict;
}

const newSteps = ({ actions }: RuleRow): RunStepObject[] =>
  actions.map(({ name, type }) => ({
    name,
    type,
    status: 'pending',
    tries: 0,
    input: null,
    output: null,
    error: null,
    finished_at: null,
  }));

function getRun(
  { claimed, rule, event }: RunRequest,
  now: Date,
  status: RunStatus,
  error: StepError | null = null,
): RunRow {
  return {
    workspace_id: claimed.workspace_id,
    id: claimed.id,
    rule_id: rule.id,
    event_id: event.id,
    event_type: event.type,
    event_sequence: event.sequence,
    status,
    definition: { filter: rule.filter, actions: rule.actions },
    steps: status === 'stopped' ? [] : newSteps(rule),
    error_code: error?.code ?? null,
    error_detail: error?.detail ?? null,
    chain: event.chain,
    replay_of: claimed.replay_of,
    finished_at: status === 'running' ? null : now,
    created_at: now,
    updated_at: now,
  };
}

/** Builds the event of a completed run. */
export const buildRunEvent = (run: RunRow): NewEvent => ({
  workspaceId: run.workspace_id,
  type: run.status === 'failed' || run.status === 'stopped' ? 'rule.failed' : 'rule.run',
  resourceId: publicId('rule_run', run.id),
  object: presentRunForEvent(run),
  chain: getCausationChain(run.chain, run.rule_id, run.id),
});

interface Sorted {
  runs: RunRow[];
  counted: Required<store.Counted>;
}

/** Decides in order of arrival. */
function sort(requests: readonly RunRequest[], allowed: store.Allowance, now: Date): Sorted {
  const runs: RunRow[] = [];
  const counted: Sorted['counted'] = {
    matched: 0,
    skipped: 0,
    succeeded: 0,
    failed: 0,
    stopped: 0,
    tokensUsed: 0,
    reported: 0,
    stoppedAs: null,
  };
  const stop = (request: RunRequest, as: Stop): void => {
    counted.stopped += 1;
    counted.stoppedAs = as;
    if (counted.reported >= allowed.reportable) return;
    counted.reported += 1;
    runs.push(getRun(request, now, 'stopped', { code: as, detail: STOPPED[as] }));
  };
  for (const request of requests) {
    const { verdict, claimed } = request;
    if (verdict === 'skip') counted.skipped += 1;
    else if (verdict === 'loop' || verdict === 'depth') stop(request, verdict);
    // Replays ignore the rate limit of the rule: the API's own limit applies to them.
    else if (allowed.tokens - counted.tokensUsed < 1 && claimed.replay_of === null)
      stop(request, 'rate_limited');
    else {
      counted.tokensUsed += 1;
      counted.matched += 1;
      if (verdict === 'start') runs.push(getRun(request, now, 'running'));
      else {
        counted.failed += 1;
        const { code, detail } = verdict.failed;
        runs.push(getRun(request, now, 'failed', { code, detail: `filter: ${detail}` }));
      }
    }
  }
  return { runs, counted };
}

async function admitAll(
  unit: Unit,
  worker: string,
  requests: readonly RunRequest[],
  onEnded: (status: string, count: number) => void,
): Promise<(RunRow | null)[]> {
  const [{ rule }] = requests as [RunRequest];
  const { workspace_id: workspaceId, id: ruleId } = rule;
  const now = await store.lockRule(unit.db, workspaceId, ruleId);
  const own = await queue.lockClaims(
    unit.db,
    worker,
    requests.map(({ claimed }) => claimed.id),
  );
  if (!now?.enabled) {
    await queue.removeRows(unit.db, [...own]);
    return requests.map(() => null);
  }
  const allowed = await store.lockCounters(unit.db, workspaceId, ruleId, now, MAX_STOPS_TOLD);
  const present = requests.filter(({ claimed }) => own.has(claimed.id));
  const { runs, counted } = sort(present, allowed, unit.clock());
  await store.insertRuns(unit.db, workspaceId, runs);
  const running = new Map(runs.filter(({ status }) => status === 'running').map((run) => [run.id, run]));
  await queue.markStarted(unit.db, [...running.keys()]);
  await queue.removeRows(
    unit.db,
    [...own].filter((id) => !running.has(id)),
  );
  unit.afterCommit(() => {
    for (const as of ['skipped', 'stopped', 'failed'] as const) if (counted[as]) onEnded(as, counted[as]);
  });
  const over = runs.filter(({ status }) => status !== 'running').map(buildRunEvent);
  await runBatch(unit.db, [
    store.counting(workspaceId, ruleId, counted),
    await unit.events.insertion(unit, over),
  ]);
  return requests.map(({ claimed }) => running.get(claimed.id) ?? null);
}

export interface Acceptance {
  /**
   * Admits a claimed event.
   * @param worker owner of the claim
   * @returns the started run; null if none started or the claim was lost
   */
  accept(worker: string, request: RunRequest): Promise<RunRow | null>;
}

/**
 * Creates the acceptance.
 * @param onEnded called with the status of events that ended without a run
 */
export function createAcceptance(units: Units, onEnded: (status: string, count: number) => void): Acceptance {
  const batcher = createBatcher<{ worker: string; request: RunRequest }, RunRow | null>({
    units,
    max: MAX_TOGETHER,
    async work(unit, items) {
      // A worker gets a new ID after it lost its lease; its earlier claims are void.
      const { worker } = items.at(-1)!;
      const own = items.filter((item) => item.worker === worker);
      const runs = (
        await admitAll(
          unit,
          worker,
          own.map(({ request }) => request),
          onEnded,
        )
      ).values();
      return items.map((item) => (item.worker === worker ? runs.next().value! : null));
    },
  });
  return {
    accept: (worker, request) => batcher.add(request.rule.id, { worker, request }, () => {}),
  };
}
