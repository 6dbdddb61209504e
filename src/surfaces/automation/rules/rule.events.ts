/** Event types of rules. They never contain header values or secrets of actions. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { RuleRun } from './rule-run.schema.ts';
import { Rule } from './rule.schema.ts';

export const ruleEvents = {
  'rule.created': eventKind({ object: Rule, description: 'A rule was created.' }),
  'rule.updated': eventKind({
    object: Rule,
    description: 'A rule was updated.',
    previous: { enabled: false },
  }),
  'rule.deleted': eventKind({ object: Rule, description: 'A rule was deleted.' }),
  'rule.run': eventKind({ object: RuleRun, description: 'A run of a rule succeeded or was canceled.' }),
  'rule.failed': eventKind({
    object: RuleRun,
    description: 'A run of a rule failed, or was stopped by the loop guard or the rate limit.',
    sample: {
      status: 'stopped',
      error: { code: 'loop', detail: 'The rule itself caused this event.' },
      steps: [],
    },
  }),
};
