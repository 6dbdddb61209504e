/**
 * The loop guard: which rules led to an event, and who must not be started by it any more.
 *
 * What a rule does carries the chain of the event that started it, and the run itself at its end (`withChain`). What is told
 * later of messages and links that it made is known by `caused_resources`, which the sequencer reads. What the world makes of
 * them (somebody answers, a receiver calls back) is no part of a chain: there the rate of the rule is the bound.
 */
import type { Unit } from '../../../core/unit-of-work.ts';
import type { CausationChain } from '../../../core/events/event-writer.ts';
import { publicId } from '../../../platform/http/ids.ts';
import { MAX_DEPTH } from './rule-run-state.ts';

/** What rules tell of their own runs. */
const REPORTS: ReadonlySet<string> = new Set(['rule.run', 'rule.failed']);

const isIn = (chain: CausationChain, ruleId: string): boolean => {
  const id = publicId('rule', ruleId);
  return chain.some((link) => link.rule_id === id);
};

/**
 * Whether an event is not even looked at for a rule. Reports of runs start no rule that had a part in them, without a word:
 * a stop that is told of would start it again to be stopped. One link more than elsewhere, so that a rule which watches
 * `rule.failed` sees the last stop of a long chain, and nothing follows from what it does then.
 */
export const isSuppressed = (type: string, chain: CausationChain | null, ruleId: string): boolean =>
  chain !== null && REPORTS.has(type) && (isIn(chain, ruleId) || chain.length > MAX_DEPTH + 1);

/** Why an event must not start a rule; null where it may. */
export function guard(type: string, chain: CausationChain | null, ruleId: string): 'loop' | 'depth' | null {
  if (chain === null || REPORTS.has(type)) return null;
  if (isIn(chain, ruleId)) return 'loop';
  return chain.length >= MAX_DEPTH ? 'depth' : null;
}

/** The chain of what a run does. @param chain of its event. Ids of the database. */
export const getCausationChain = (
  chain: CausationChain | null,
  ruleId: string,
  runId: string,
): CausationChain => [
  ...(chain ?? []),
  { rule_id: publicId('rule', ruleId), run_id: publicId('rule_run', runId) },
];

/** The same unit, whose events say that these rules led to them. */
export const withCausationChain = (unit: Unit, chain: CausationChain): Unit => ({
  ...unit,
  events: {
    write: (given, event) => unit.events.write(given, { ...event, chain }),
    writeAll: (given, events, along) =>
      unit.events.writeAll(
        given,
        events.map((event) => ({ ...event, chain })),
        along,
      ),
  },
});
