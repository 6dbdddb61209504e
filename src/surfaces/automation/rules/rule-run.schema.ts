/** Runs of rules, as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  exampleId,
  Id,
  ListQuery,
  Nullable,
  objectFields,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { ActionTypeName } from './rule-action.schema.ts';
import { RUN_STATUSES, STEP_STATUSES } from './rule-run-state.ts';

export const AnyObject = (options: object) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options });

export const RunErrorDetail = Type.Object({
  code: Type.String({ description: 'What kind of fault; stable.', examples: ['template_failed'] }),
  detail: Type.String({ description: 'The same in words.', examples: ['undefined filter: upcas'] }),
});

export const RunStep = Type.Object(
  {
    name: Type.String({ description: 'Name of the action.', examples: ['answer'] }),
    type: ActionTypeName,
    status: Enum(STEP_STATUSES, { description: 'What became of it.', examples: ['succeeded'] }),
    tries: Type.Integer({ description: 'Tries made.', examples: [1] }),
    input: Nullable(AnyObject({}), {
      description: 'What was rendered for it; null where it did not come to that. No header values.',
      examples: [
        { instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41', to: 'alice', type: 'text', text: { body: 'Hi' } },
      ],
    }),
    output: Nullable(AnyObject({}), {
      description: 'What it gave, as `steps.<name>` for later ones.',
      examples: [{ message_id: 'msg_01h2xcejqtf2nbrexx3vqjhp41', status: 'queued' }],
    }),
    error: Nullable(RunErrorDetail, { description: 'Why it failed.', examples: [null] }),
    finished_at: Nullable(Timestamp('When it ended.')),
  },
  { title: 'RuleRunStep' },
);

export const RuleRun = Type.Object(
  {
    ...objectFields('rule_run', 'rule_run'),
    rule_id: Id('rule'),
    event_id: Id('event'),
    event_type: Type.String({ description: 'Type of the event.', examples: ['message.received'] }),
    event_sequence: Type.Integer({ description: 'Its place in the log.', examples: [412] }),
    status: Enum(RUN_STATUSES, { description: 'What became of it.', examples: ['succeeded'] }),
    error: Nullable(RunErrorDetail, {
      description:
        "Why it failed or was stopped: `loop`, `depth`, `rate_limited`, or the code of a step's fault.",
      examples: [null],
    }),
    steps: Type.Array(RunStep, { description: 'Each action, in order.' }),
    chain: Type.Array(Id('rule'), {
      description: 'The rules whose doing led to the event, first cause first.',
      examples: [[]],
    }),
    replay_of: Nullable(Id('rule_run'), { description: 'The run that it repeats.', examples: [null] }),
    finished_at: Nullable(Timestamp('When it ended.')),
    ...timeFields,
  },
  { title: 'RuleRun' },
);

const runFilters = {
  status: Type.Optional(
    Enum(RUN_STATUSES, { description: 'Only those in this status.', examples: ['failed'] }),
  ),
  event_type: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only those for events of this type.',
      examples: ['message.received'],
    }),
  ),
  ...createdFilters,
};

export const RunsOfRuleList = ListQuery(runFilters);
export const RuleRunList = ListQuery({
  rule_id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only those of this rule, which may be deleted by now.',
      examples: [exampleId('rule')],
    }),
  ),
  ...runFilters,
});

export const RuleRunReplay = Type.Object(
  {
    object: Type.Literal('rule_run_replay', {
      description: 'The type of the object.',
      examples: ['rule_run_replay'],
    }),
    run_id: Id(
      'rule_run',
      "Id of the run that it becomes. It is there once it has begun; where the rule's filter holds the event back by now, none begins.",
    ),
    replay_of: Id('rule_run', 'The run that is repeated.'),
    rule_id: Id('rule'),
    event_id: Id('event'),
  },
  { title: 'RuleRunReplay' },
);

export type RuleRunObject = Static<typeof RuleRun>;
export type RunStepObject = Static<typeof RunStep>;
