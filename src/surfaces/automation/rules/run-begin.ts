/**
 * Starts runs for claimed rows: loads their data, evaluates filters, and admits new runs. One lookup for all rows
 * claimed together; each then proceeds independently.
 */
import { isErasedEvent } from '../../../core/events/erasure/redact.ts';
import { presentEvent } from '../../../core/events/event.service.ts';
import type { EventRow } from '../../../core/events/event.store.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Templates } from '../../../platform/templates/templates.ts';
import type { StepError } from '../ports/outcome.ts';
import { guard } from './rule-chain.ts';
import type { Claimed } from './rule-queue.system-store.ts';
import type { RunRow } from './rule-run-present.ts';
import type { RuleRow } from './rule.store.ts';
import type { Acceptance, Verdict } from './run-acceptance.ts';
import { loadEvents, type LoadedEvent } from '../../../core/events/load-events.system-store.ts';
import { loadRules, loadRuns } from './run-load.system-store.ts';
import { WAITS_MS } from './run-record.ts';
import type { ActiveRun } from './run-steps.ts';

/** The loaded data of a claimed row. */
export interface Loaded {
  claimed: Claimed;
  /** Undefined if deleted or disabled. */
  rule: RuleRow | undefined;
  event: LoadedEvent | undefined;
  /** Only for started runs. */
  run: RunRow | undefined;
}

export async function load(db: Database, claimed: readonly Claimed[]): Promise<Loaded[]> {
  const [rules, events, runs] = await Promise.all([
    loadRules(db, claimed),
    loadEvents(db, claimed),
    loadRuns(db, claimed),
  ]);
  return claimed.map((one) => {
    const event = events.get(one.event_id);
    return {
      claimed: one,
      rule: rules.get(one.rule_id),
      // An erased event has no data to act on.
      event: event && isErasedEvent(event) ? undefined : event,
      run: runs.get(one.id),
    };
  });
}

/** Thrown if the filter cannot be evaluated now but may be later. */
export class FilterWaits extends Error {}

interface Asked {
  claimed: Claimed;
  rule: RuleRow;
  event: EventRow;
}

/**
 * Evaluates the filter.
 * @throws FilterWaits
 */
async function evaluateFilter(
  templates: Pick<Templates, 'render'>,
  { claimed, rule, event }: Asked,
): Promise<boolean | { failed: StepError }> {
  // A replayed run has passed the filter before.
  if (rule.filter === null || claimed.replay_of !== null) return true;
  const variables = {
    event: presentEvent(event),
    steps: {},
    rule: { id: publicId('rule', rule.id), name: rule.name },
  };
  const condition = { kind: 'condition' as const, source: rule.filter };
  const [rendered] = await templates.render(claimed.workspace_id, variables, [condition]);
  const { fault, text } = rendered!;
  if (!fault) return text === 'true';
  if (fault.code === 'template_budget' && claimed.tries < WAITS_MS.length) throw new FilterWaits();
  return { failed: fault };
}

/** A replay starts regardless of the causation chain; its effects still carry the chain. */
function getVerdict(passed: boolean | { failed: StepError }, { claimed, rule, event }: Asked): Verdict {
  if (passed === false) return 'skip';
  const stop = claimed.replay_of === null ? guard(event.type, event.chain, rule.id) : null;
  return stop ?? (passed === true ? 'start' : passed);
}

/**
 * Starts a new run or resumes a started one.
 * @returns null if there is nothing to do: filtered, stopped, or the claim was lost
 * @throws FilterWaits
 */
export async function begin(
  { templates, acceptance }: { templates: Pick<Templates, 'render'>; acceptance: Acceptance },
  worker: string,
  loaded: Loaded & { rule: RuleRow; event: EventRow },
): Promise<ActiveRun | null> {
  const { claimed, rule, event } = loaded;
  let { run } = loaded;
  if (!run) {
    const passed = await evaluateFilter(templates, loaded);
    const verdict = getVerdict(passed, loaded);
    run = (await acceptance.accept(worker, { claimed, rule, event, verdict })) ?? undefined;
  }
  return run ? { claimed, rule, run, event: presentEvent(event) } : null;
}
