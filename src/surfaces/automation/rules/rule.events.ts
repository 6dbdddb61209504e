/** What the event log tells of rules. Header values and secrets of their actions are never in it. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { RuleRun } from './rule-run.schema.ts';
import { Rule } from './rule.schema.ts';

export const ruleEvents = {
  'rule.created': eventKind({ object: Rule, description: 'A rule was made.' }),
  'rule.updated': eventKind({
    object: Rule,
    description: 'A rule was changed.',
    previous: { enabled: false },
  }),
  'rule.deleted': eventKind({ object: Rule, description: 'A rule was deleted.' }),
  'rule.run': eventKind({ object: RuleRun, description: 'A run of a rule came to its end.' }),
  'rule.failed': eventKind({
    object: RuleRun,
    description: 'A run of a rule failed, or was stopped by the loop guard or the rate.',
    sample: {
      status: 'stopped',
      error: { code: 'loop', detail: 'The rule caused this event itself.' },
      steps: [],
    },
  }),
};
