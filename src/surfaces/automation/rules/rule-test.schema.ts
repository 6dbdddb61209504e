/** Trying a rule: with which event, and what it would do. */
import Type, { type Static } from 'typebox';
import { Enum, Id, Nullable, Strict } from '../../../platform/http/schema.ts';
import { ActionTypeName } from './rule-action.schema.ts';
import { AnyObject, RunErrorDetail } from './rule-run.schema.ts';
import { CreateRule } from './rule.schema.ts';

const { events, filter, actions } = CreateRule.properties;

const withWhat = {
  event_id: Type.Optional(Id('event', 'An event of the log to try it with.')),
  event_type: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        "In the place of `event_id`: the sample of this type. By default that of the rule's first.",
      examples: ['message.received'],
    }),
  ),
};

/** What is left out is as it was saved. */
export const TestRule = Strict({
  ...withWhat,
  events: Type.Optional(events),
  filter,
  actions: Type.Optional(actions),
});

/** Of a rule that is not made yet. */
export const TestRuleDefinition = Strict({ ...withWhat, events, filter, actions });

const TEST_STEP_STATUSES = ['would_run', 'skipped', 'failed'] as const;

const RuleTestStep = Type.Object(
  {
    name: Type.String({ description: 'Name of the action.', examples: ['answer'] }),
    type: ActionTypeName,
    status: Enum(TEST_STEP_STATUSES, {
      description: 'What would become of it: `skipped` by its own condition.',
      examples: ['would_run'],
    }),
    input: Nullable(AnyObject({}), {
      description: 'What was rendered for it; null where it did not come to that.',
      examples: [{ type: 'text', text: { body: 'We are back at nine.' } }],
    }),
    output: Nullable(AnyObject({}), {
      description:
        'What later steps saw of it as `steps.<name>`: always a sample, as nothing is done. null for a skipped one.',
      examples: [{ text: 'SAMPLE: what fairlead/echo answers' }],
    }),
    error: Nullable(RunErrorDetail, { description: 'Why it would fail.', examples: [null] }),
  },
  { title: 'RuleTestStep' },
);

/** What a rule would do. */
export const RuleTest = Type.Object(
  {
    object: Type.Literal('rule_test', { description: 'The type of the object.', examples: ['rule_test'] }),
    rule_id: Nullable(Id('rule'), { description: 'null for a rule that is not made yet.' }),
    matches: Type.Boolean({ description: 'Whether events and filter let it run.', examples: [true] }),
    reason: Nullable(Enum(['event_type', 'filter']), {
      description: 'What holds it back: the rule is not for events of this type, or its filter.',
      examples: [null],
    }),
    error: Nullable(RunErrorDetail, { description: 'What is wrong with its filter.', examples: [null] }),
    event: AnyObject({
      description: 'The event that it was tried with.',
      examples: [{ type: 'message.received' }],
    }),
    event_is_sample: Type.Boolean({
      description:
        'Whether that is the sample of its type: then what its values would meet in the workspace is not looked at.',
      examples: [true],
    }),
    steps: Type.Array(RuleTestStep, {
      description: 'What each action would do, also where the rule is held back. Nothing is done.',
    }),
  },
  { title: 'RuleTest' },
);

export type TestRuleBody = Static<typeof TestRule>;
export type RuleTestObject = Static<typeof RuleTest>;
export type RuleTestStepObject = Static<typeof RuleTestStep>;
