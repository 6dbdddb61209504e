/** Labels of rules, runs, and their statuses. */
import { t } from '../../copy/text.ts';
import type { Rule, RuleAction, RuleRun } from '../../api/types.ts';

export type ActionType = RuleAction['type'];

export const ACTION_LABELS: Record<ActionType, string> = {
  send_message: t('Send message'),
  create_link: t('Create short link'),
  call_webhook: t('Call webhook'),
  ask_model: t('Ask model'),
};

/** Returns the actions of a rule as one line of text. */
export const summarizeActions = (rule: Pick<Rule, 'actions'>): string =>
  rule.actions.map(({ type }) => ACTION_LABELS[type]).join(', ');

type Stop = NonNullable<Rule['stats']['last_stopped_as']>;

/** Why Fairlead stopped a run before its first action, and how to fix it. */
export const STOP_LABELS: Record<Stop, { title: string; description: string }> = {
  loop: {
    title: t('Stopped: loop detected'),
    description: t(
      'This rule helped cause the event, so running it again could loop forever. Narrow its events or filter.',
    ),
  },
  depth: {
    title: t('Stopped: chain too long'),
    description: t(
      'Five rules in a row led to this event, each triggered by the one before. Check whether your rules trigger each other.',
    ),
  },
  rate_limited: {
    title: t('Stopped: rate limit reached'),
    description: t(
      'More events matched than this rule may run for per minute. Raise its rate limit or narrow its filter.',
    ),
  },
};

export const getStop = (code: string | undefined): (typeof STOP_LABELS)[Stop] | undefined =>
  code !== undefined && Object.hasOwn(STOP_LABELS, code) ? STOP_LABELS[code as Stop] : undefined;

export const RUN_STATUSES = ['running', 'succeeded', 'failed', 'stopped', 'canceled'] as const;

type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'live';
export const RUN_LABELS: Record<RuleRun['status'], [tone: Tone, label: string]> = {
  running: ['live', t('Running')],
  succeeded: ['good', t('Succeeded')],
  failed: ['bad', t('Failed')],
  stopped: ['warn', t('Stopped')],
  canceled: ['idle', t('Canceled')],
};

export const STEP_LABELS: Record<RuleRun['steps'][number]['status'], [tone: Tone, label: string]> = {
  pending: ['idle', t('Not run')],
  succeeded: ['good', t('Succeeded')],
  failed: ['bad', t('Failed')],
  skipped: ['idle', t('Skipped')],
};
