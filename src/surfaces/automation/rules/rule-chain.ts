/**
 * Loop guard: tracks which rules caused an event and which rules it must not trigger.
 * | Effects of a rule carry the causation chain of the triggering event plus the run itself (`withCausationChain`).
 * Later events of messages and links that it created are matched by `caused_resources`, which the sequencer reads.
 * Reactions of the outside world (a reply, a callback) are not part of a chain: those are bounded by the rate limit of
 * the rule.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { CausationChain } from '../../../core/unit/event-writer.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { MAX_DEPTH } from './rule-run-state.ts';

/** Events that report runs of rules. */
const REPORTS: ReadonlySet<string> = new Set(['rule.run', 'rule.failed']);

const isIn = (chain: CausationChain, ruleId: string): boolean => {
  const id = publicId('rule', ruleId);
  return chain.some((link) => link.rule_id === id);
};

/**
 * Returns whether an event is ignored for a rule. Run reports silently skip rules that are part of their chain: a
 * reported stop would trigger the rule again, only to be stopped again. The limit is one higher than elsewhere, so that
 * a rule on `rule.failed` sees the last stop of a long chain, and its own effects trigger nothing further.
 */
export const isSuppressed = (type: string, chain: CausationChain | null, ruleId: string): boolean =>
  chain !== null && REPORTS.has(type) && (isIn(chain, ruleId) || chain.length > MAX_DEPTH + 1);

/** Returns why an event must not trigger a rule; null if it may. */
export function guard(type: string, chain: CausationChain | null, ruleId: string): 'loop' | 'depth' | null {
  if (chain === null || REPORTS.has(type)) return null;
  if (isIn(chain, ruleId)) return 'loop';
  return chain.length >= MAX_DEPTH ? 'depth' : null;
}

/**
 * Returns the causation chain for the effects of a run. IDs are UUIDs.
 * @param chain of the triggering event
 */
export const getCausationChain = (
  chain: CausationChain | null,
  ruleId: string,
  runId: string,
): CausationChain => [
  ...(chain ?? []),
  { rule_id: publicId('rule', ruleId), run_id: publicId('rule_run', runId) },
];

/** Returns the unit of work with a causation chain for all its events. */
export const withCausationChain = (unit: Unit, chain: CausationChain): Unit => ({
  ...unit,
  events: {
    write: (given, event) => unit.events.write(given, { ...event, chain }),
    writeAll: (given, events) =>
      unit.events.writeAll(
        given,
        events.map((event) => ({ ...event, chain })),
      ),
    insertion: (given, events) =>
      unit.events.insertion(
        given,
        events.map((event) => ({ ...event, chain })),
      ),
  },
});
