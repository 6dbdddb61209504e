/** Rules as the API shows and takes them. */
import Type, { type Static } from 'typebox';
import { RateLimit } from '../../../core/api/rate-limit.schema.ts';
import {
  createdFilters,
  Enum,
  exampleId,
  ListQuery,
  Metadata,
  Nullable,
  objectFields,
  Strict,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { Action, ActionInput, MAX_ACTIONS } from './rule-action.schema.ts';
import { STOPS } from './rule-run-state.ts';

const DEFAULT_RATE = { limit: 60, burst: 30 };

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'What it is called.',
  examples: ['Answer opening hours'],
});
const Description = Nullable(Type.String({ maxLength: 500 }), {
  default: null,
  description: 'What it is for, in your words.',
  examples: [null],
});
const Events = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 100,
  description: 'Event types that start it: exact ones, all of a noun as `message.*`, or all as `*`.',
  examples: [['message.received']],
});
const Filter = Nullable(Type.String({ minLength: 1, maxLength: 65_536 }), {
  default: null,
  description: "A condition as Liquid's `if` takes it; null for all. It sees `event`.",
  examples: ['event.data.object.text.body contains "hours"'],
});
const Enabled = Type.Boolean({ default: true, description: 'Whether it runs.', examples: [true] });
const count = (description: string) => Type.Integer({ description, examples: [0] });

export const Rule = Type.Object(
  {
    ...objectFields('rule', 'rule'),
    name: Name,
    description: Description,
    enabled: Enabled,
    events: Events,
    filter: Filter,
    actions: Type.Array(Action, { description: 'What it does, in this order.' }),
    rate_limit: Type.Object(RateLimit.properties, {
      description: 'The most runs: what is over it is `stopped`.',
      examples: [DEFAULT_RATE],
    }),
    stats: Type.Object(
      {
        matched: count('Events that it ran for.'),
        skipped: count('Events that its filter held back.'),
        succeeded: count('Runs that came to their end.'),
        failed: count('Runs that failed.'),
        stopped: count('Runs that the loop guard or the rate stopped.'),
        last_run_at: Nullable(Timestamp('When it ran last.'), { examples: [null] }),
        last_failed_at: Nullable(Timestamp('When a run failed last.'), { examples: [null] }),
        last_stopped_as: Nullable(Enum(STOPS), {
          description: 'Why the latest run that was stopped was.',
          examples: [null],
        }),
        last_stopped_at: Nullable(Timestamp('When that was.'), { examples: [null] }),
      },
      { description: 'How it goes. In events all is as it was when the rule was made.' },
    ),
    metadata: Metadata,
    created_by: Type.String({
      description: 'Id of the person or key that made it.',
      examples: [exampleId('user')],
    }),
    ...timeFields,
  },
  { title: 'Rule' },
);

const Actions = Type.Array(ActionInput, {
  minItems: 1,
  maxItems: MAX_ACTIONS,
  description: 'What it does, in this order.',
});
const settings = {
  description: Type.Optional(Description),
  filter: Type.Optional(Filter),
  enabled: Type.Optional(Enabled),
  rate_limit: Type.Optional(
    Type.Union([RateLimit, Type.Integer({ minimum: 1, maximum: 10_000 })], {
      description: 'The most runs a minute: a bucket, or a number.',
      default: DEFAULT_RATE,
      examples: [DEFAULT_RATE],
    }),
  ),
  metadata: Type.Optional(Metadata),
};

export const CreateRule = Strict({ name: Name, events: Events, actions: Actions, ...settings });
export const UpdateRule = Strict({
  name: Type.Optional(Name),
  events: Type.Optional(Events),
  actions: Type.Optional(Actions),
  ...settings,
});

export const RuleList = ListQuery({
  enabled: Type.Optional(
    Type.Boolean({ description: 'Only those that are, or are not, enabled.', examples: [true] }),
  ),
  event_type: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only those that events of this type start, by whatever pattern.',
      examples: ['message.received'],
    }),
  ),
  ...createdFilters,
});

export type RuleObject = Static<typeof Rule>;
export type CreateRuleBody = Static<typeof CreateRule>;
export type UpdateRuleBody = Static<typeof UpdateRule>;
