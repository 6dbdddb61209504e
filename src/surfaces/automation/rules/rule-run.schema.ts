/** API schemas of rule runs. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  ListQuery,
  Nullable,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { exampleId, Id, objectFields } from '../../../core/api/id-schema.ts';
import { ActionTypeName } from './rule-action.schema.ts';
import { RUN_STATUSES, STEP_STATUSES } from './rule-run-state.ts';

export const AnyObject = (options: object) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options });

export const RunErrorDetail = Type.Object({
  code: Type.String({ description: 'Stable error code.', examples: ['template_failed'] }),
  detail: Type.String({ description: 'Human-readable explanation.', examples: ['undefined filter: upcas'] }),
});

export const RunStep = Type.Object(
  {
    name: Type.String({ description: 'Name of the action.', examples: ['answer'] }),
    type: ActionTypeName,
    status: Enum(STEP_STATUSES, { description: 'The status.', examples: ['succeeded'] }),
    tries: Type.Integer({ description: 'Number of attempts so far.', examples: [1] }),
    input: Nullable(AnyObject({}), {
      description: 'The rendered input; null if nothing was rendered. Without header values.',
      examples: [
        { instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41', to: 'alice', type: 'text', text: { body: 'Hi' } },
      ],
    }),
    output: Nullable(AnyObject({}), {
      description: 'The output, available to later steps as `steps.<name>`.',
      examples: [{ message_id: 'msg_01h2xcejqtf2nbrexx3vqjhp41', status: 'queued' }],
    }),
    error: Nullable(RunErrorDetail, { description: 'Why it failed.', examples: [null] }),
    finished_at: Nullable(Timestamp('When it finished.')),
  },
  { title: 'RuleRunStep' },
);

export const RuleRun = Type.Object(
  {
    ...objectFields('rule_run', 'rule_run'),
    rule_id: Id('rule'),
    event_id: Id('event'),
    event_type: Type.String({ description: 'Type of the event.', examples: ['message.received'] }),
    event_sequence: Type.Integer({ description: 'Position of the event in the event log.', examples: [412] }),
    status: Enum(RUN_STATUSES, { description: 'The status.', examples: ['succeeded'] }),
    error: Nullable(RunErrorDetail, {
      description:
        'Why it failed or was stopped: `loop`, `depth`, `rate_limited`, or the error code of a step.',
      examples: [null],
    }),
    steps: Type.Array(RunStep, { description: 'Each action, in order.' }),
    chain: Type.Array(Id('rule'), {
      description: 'The rules that caused the event, starting with the first.',
      examples: [[]],
    }),
    replay_of: Nullable(Id('rule_run'), { description: 'The run that it replays.', examples: [null] }),
    finished_at: Nullable(Timestamp('When it finished.')),
    ...timeFields,
  },
  { title: 'RuleRun' },
);

const runFilters = {
  status: Type.Optional(
    Enum(RUN_STATUSES, { description: 'Only those with this status.', examples: ['failed'] }),
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
      description: 'Only runs of this rule, which may have been deleted.',
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
      "ID of the new run. It exists once the run has started. No run starts if the rule's filter no longer matches the event.",
    ),
    replay_of: Id('rule_run', 'The run that is replayed.'),
    rule_id: Id('rule'),
    event_id: Id('event'),
  },
  { title: 'RuleRunReplay' },
);

export type RuleRunObject = Static<typeof RuleRun>;
export type RunStepObject = Static<typeof RunStep>;
