/** API schemas of rule tests. */
import Type, { type Static } from 'typebox';
import { Enum, Nullable, Strict } from '../../../platform/http/schema.ts';
import { Id } from '../../../core/api/id-schema.ts';
import { ActionTypeName } from './rule-action.schema.ts';
import { AnyObject, RunErrorDetail } from './rule-run.schema.ts';
import { CreateRule } from './rule.schema.ts';

const { events, filter, actions } = CreateRule.properties;

const withWhat = {
  event_id: Type.Optional(Id('event', 'An event from the log to test with.')),
  event_type: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        "Instead of `event_id`: use the sample of this event type. Defaults to the rule's first event type.",
      examples: ['message.received'],
    }),
  ),
  custom_event: Type.Optional(
    Type.Object(
      {
        type: Type.String({ maxLength: 100, description: 'An event type.', examples: ['message.received'] }),
      },
      {
        additionalProperties: true,
        description:
          'Instead of `event_id` and `event_type`: an event of your own. If it lacks fields such as `created_at`, they are taken from the sample of its type; `data` is used as it is.',
        examples: [
          {
            type: 'message.received',
            data: { object: { from: 'alice', text: { body: 'Are you open?' } } },
          },
        ],
      },
    ),
  ),
};

/** Omitted fields use the saved rule. */
export const TestRule = Strict({
  ...withWhat,
  events: Type.Optional(events),
  filter,
  actions: Type.Optional(actions),
});

/** Test of a rule that does not exist yet. */
export const TestRuleDefinition = Strict({ ...withWhat, events, filter, actions });

const TEST_STEP_STATUSES = ['would_run', 'skipped', 'failed'] as const;

const RuleTestStep = Type.Object(
  {
    name: Type.String({ description: 'Name of the action.', examples: ['answer'] }),
    type: ActionTypeName,
    status: Enum(TEST_STEP_STATUSES, {
      description: 'The outcome: `skipped` if its own condition is false.',
      examples: ['would_run'],
    }),
    input: Nullable(AnyObject({}), {
      description: 'The rendered input; null if nothing was rendered.',
      examples: [{ type: 'text', text: { body: 'We are back at nine.' } }],
    }),
    output: Nullable(AnyObject({}), {
      description:
        'The output that later steps saw as `steps.<name>`: always a sample, because no action is executed. null for a skipped step.',
      examples: [{ text: 'SAMPLE: what fairlead/echo answers', reasoning: null }],
    }),
    error: Nullable(RunErrorDetail, { description: 'Why it would fail.', examples: [null] }),
  },
  { title: 'RuleTestStep' },
);

/** Result of a rule test. */
export const RuleTest = Type.Object(
  {
    object: Type.Literal('rule_test', { description: 'The type of the object.', examples: ['rule_test'] }),
    rule_id: Nullable(Id('rule'), { description: 'null for a rule that does not exist yet.' }),
    matches: Type.Boolean({ description: 'Whether the event types and the filter match.', examples: [true] }),
    reason: Nullable(Enum(['event_type', 'filter']), {
      description: 'Why the rule would not run: the event type does not match, or the filter does not match.',
      examples: [null],
    }),
    error: Nullable(RunErrorDetail, { description: 'Error of the filter.', examples: [null] }),
    event: AnyObject({
      description: 'The event that was tested.',
      examples: [{ type: 'message.received' }],
    }),
    event_is_sample: Type.Boolean({
      description:
        'Whether the event is a sample or your own. If so, its values are not checked against the workspace.',
      examples: [true],
    }),
    steps: Type.Array(RuleTestStep, {
      description: 'What each action would do, even if the rule would not run. No action is executed.',
    }),
  },
  { title: 'RuleTest' },
);

export type TestRuleBody = Static<typeof TestRule>;
export type RuleTestObject = Static<typeof RuleTest>;
export type RuleTestStepObject = Static<typeof RuleTestStep>;
