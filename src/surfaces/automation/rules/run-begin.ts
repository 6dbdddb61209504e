/**
 * From what was claimed to runs: reads what they need, lets filters speak, and has new ones admitted. One look-up for all that
 * was claimed together; each goes its own way then.
 */
import { isErasedEvent } from '../../../core/events/erasure/redact.ts';
import { presentEvent } from '../../../core/events/event.service.ts';
import type { EventRow } from '../../../core/events/event.store.ts';
import { publicId } from '../../../platform/http/ids.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Templates } from '../../../platform/templates/templates.ts';
import type { StepError } from './actions/outcome.ts';
import { guard } from './rule-chain.ts';
import type { Claimed } from './rule-queue.system-store.ts';
import type { RunRow } from './rule-run-present.ts';
import type { RuleRow } from './rule.store.ts';
import type { Acceptance, Verdict } from './run-acceptance.ts';
import { loadEvents } from '../../../core/events/load-events.system-store.ts';
import { loadRules, loadRuns } from './run-load.system-store.ts';
import { WAITS_MS } from './run-record.ts';
import type { ActiveRun } from './run-steps.ts';

/** What there is of it. */
export interface Loaded {
  claimed: Claimed;
  /** Undefined for one that is gone or disabled. */
  rule: RuleRow | undefined;
  event: EventRow | undefined;
  /** Of a run that has begun. */
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
      // Of one that was emptied nothing is left to act on.
      event: event && isErasedEvent(event) ? undefined : event,
      run: runs.get(one.id),
    };
  });
}

/** Thrown where the filter can't be asked now, but may be later. */
export class FilterWaits extends Error {}

interface Asked {
  claimed: Claimed;
  rule: RuleRow;
  event: EventRow;
}

/** What a filter says of an event. @throws FilterWaits */
async function askFilter(
  templates: Pick<Templates, 'render'>,
  { claimed, rule, event }: Asked,
): Promise<boolean | { failed: StepError }> {
  // Who asks for a run again has seen that it ran, or was stopped.
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

/** A person who asks for a run again starts it, whatever led to the event; what it does is known by its chain all the same. */
function verdictOn(passed: boolean | { failed: StepError }, { claimed, rule, event }: Asked): Verdict {
  if (passed === false) return 'skip';
  const stop = claimed.replay_of === null ? guard(event.type, event.chain, rule.id) : null;
  return stop ?? (passed === true ? 'start' : passed);
}

/**
 * Begins what has not begun, and goes on with what has.
 * @returns null where there is nothing to do: it was held back, stopped, or is somebody else's
 * @throws FilterWaits
 */
export async function begin(
  { templates, admission }: { templates: Pick<Templates, 'render'>; admission: Acceptance },
  worker: string,
  loaded: Loaded & { rule: RuleRow; event: EventRow },
): Promise<ActiveRun | null> {
  const { claimed, rule, event } = loaded;
  let { run } = loaded;
  if (!run) {
    const passed = await askFilter(templates, loaded);
    const verdict = verdictOn(passed, loaded);
    run = (await admission.admit(worker, { claimed, rule, event, verdict })) ?? undefined;
  }
  return run ? { claimed, rule, run, event: presentEvent(event) } : null;
}
