/** What the event log tells of rules. Header values and secrets of their actions are never in it. */
import { eventKind } from '../../events/event-kind.ts';
import { RuleRun } from './rule-run.schema.ts';
import { Rule } from './rule.schema.ts';

const about = { surface: 'automation', scope: 'rules:read' } as const;
const ofRule = { ...about, object: Rule } as const;
const ofRun = { ...about, object: RuleRun } as const;

export const ruleEvents = {
  'rule.created': eventKind({ ...ofRule, description: 'A rule was made.' }),
  'rule.updated': eventKind({ ...ofRule, description: 'A rule was changed.', previous: { enabled: false } }),
  'rule.deleted': eventKind({ ...ofRule, description: 'A rule was deleted.' }),
  'rule.run': eventKind({ ...ofRun, description: 'A run of a rule came to its end.' }),
  'rule.failed': eventKind({
    ...ofRun,
    description: 'A run of a rule failed, or was stopped by the loop guard or the rate.',
    sample: {
      status: 'stopped',
      error: { code: 'loop', detail: 'The rule caused this event itself.' },
      steps: [],
    },
  }),
};
