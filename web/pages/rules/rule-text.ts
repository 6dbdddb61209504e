/** Rules and their runs in words. */
import type { Rule, RuleAction, RuleRun } from '../../api/types.ts';

export type ActionType = RuleAction['type'];

export const ACTION_WORDS: Record<ActionType, string> = {
  send_message: 'Send a message',
  create_link: 'Make a short link',
  call_webhook: 'Call a webhook',
  ask_model: 'Ask a model',
};

/** What a rule does, on a line. */
export const actionsWord = (rule: Pick<Rule, 'actions'>): string =>
  rule.actions
    .map(({ type }, nth) => (nth === 0 ? ACTION_WORDS[type] : ACTION_WORDS[type].toLowerCase()))
    .join(', ');

type Stop = NonNullable<Rule['stats']['last_stopped_as']>;

/** Why the guard kept a run from running, and what to do about it. */
export const STOP_WORDS: Record<Stop, { short: string; long: string }> = {
  loop: {
    short: 'a loop',
    long: 'This rule had a part in causing the event itself, so it was not started again: it would go on for ever. Narrow its events or its filter, so that what it does is no reason to run.',
  },
  depth: {
    short: 'a long chain',
    long: 'Five rules in a row led to this event, each started by what the one before did. The chain ends here. Look whether rules set each other off.',
  },
  rate_limited: {
    short: 'its rate',
    long: 'More events came than the rule may run for in a minute, so this one was left out. Raise its rate, or narrow its filter. A replay runs it all the same.',
  },
};

export const stopOf = (code: string | undefined): (typeof STOP_WORDS)[Stop] | undefined =>
  code !== undefined && Object.hasOwn(STOP_WORDS, code) ? STOP_WORDS[code as Stop] : undefined;

export const RUN_STATUSES = ['running', 'succeeded', 'failed', 'stopped', 'canceled'] as const;

type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'live';
export const RUN_WORDS: Record<RuleRun['status'], [tone: Tone, word: string]> = {
  running: ['live', 'Running'],
  succeeded: ['good', 'Done'],
  failed: ['bad', 'Failed'],
  stopped: ['warn', 'Stopped'],
  canceled: ['idle', 'Canceled'],
};

export const STEP_WORDS: Record<RuleRun['steps'][number]['status'], [tone: Tone, word: string]> = {
  pending: ['idle', 'not done'],
  succeeded: ['good', 'done'],
  failed: ['bad', 'failed'],
  skipped: ['idle', 'skipped'],
};
