/** API schemas of rules. */
import Type, { type Static } from 'typebox';
import { RateLimit } from '../../../core/api/rate-limit.schema.ts';
import {
  searchFilter,
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { exampleId, objectFields } from '../../../core/api/id-schema.ts';
import { Action, ActionInput, MAX_ACTIONS } from './rule-action.schema.ts';
import { STOPS } from './rule-run-state.ts';

const DEFAULT_RATE = { limit: 60, burst: 30 };

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'The name.',
  examples: ['Answer opening hours'],
});
const Description = Nullable(Type.String({ maxLength: 500 }), {
  default: null,
  description: 'An optional description.',
  examples: [null],
});
const Events = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 100,
  description:
    'Event types that trigger the rule: exact types, all of a resource such as `message.*`, or all with `*`.',
  examples: [['message.received']],
});
const Filter = Nullable(Type.String({ minLength: 1, maxLength: 65_536 }), {
  default: null,
  description: "A condition on `event` in the syntax of Liquid's `if`; null to match all events.",
  examples: ['event.data.object.text.body | contains_ignore_case: "hours"'],
});
const Enabled = Type.Boolean({
  default: true,
  description: 'Whether the rule is enabled.',
  examples: [true],
});
const count = (description: string) => Type.Integer({ description, examples: [0] });

export const Rule = Type.Object(
  {
    ...objectFields('rule', 'rule'),
    name: Name,
    description: Description,
    enabled: Enabled,
    events: Events,
    filter: Filter,
    actions: Type.Array(Action, { description: 'The actions, in order.' }),
    rate_limit: Type.Object(RateLimit.properties, {
      description: 'Maximum runs per minute. Runs over the limit are `stopped`.',
      examples: [DEFAULT_RATE],
    }),
    stats: Type.Object(
      {
        matched: count('Number of events that the rule ran for.'),
        skipped: count('Number of events that did not match the filter.'),
        succeeded: count('Number of runs that succeeded.'),
        failed: count('Number of runs that failed.'),
        stopped: count('Number of runs stopped by the loop guard or the rate limit.'),
        last_run_at: Nullable(Timestamp('When the rule last ran.'), { examples: [null] }),
        last_failed_at: Nullable(Timestamp('When a run last failed.'), { examples: [null] }),
        last_stopped_as: Nullable(Enum(STOPS), {
          description: 'Why the most recently stopped run was stopped.',
          examples: [null],
        }),
        last_stopped_at: Nullable(Timestamp('When a run was last stopped.'), { examples: [null] }),
      },
      { description: 'Run statistics. In events, they have the values of a new rule.' },
    ),
    metadata: Metadata,
    created_by: Type.String({
      description: 'ID of the user or API key that created it.',
      examples: [exampleId('user')],
    }),
    ...timeFields,
  },
  { title: 'Rule' },
);

const Actions = Type.Array(ActionInput, {
  minItems: 1,
  maxItems: MAX_ACTIONS,
  description: 'The actions, in order.',
});
const settings = {
  description: Type.Optional(Description),
  filter: Type.Optional(Filter),
  enabled: Type.Optional(Enabled),
  rate_limit: Type.Optional(
    Type.Union([RateLimit, Type.Integer({ minimum: 1, maximum: 10_000 })], {
      description: 'Maximum runs per minute (token bucket).',
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
  search: searchFilter('name', 'reply'),
  enabled: Type.Optional(
    Type.Boolean({ description: 'Only those that are enabled, or disabled.', examples: [true] }),
  ),
  event_type: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only those triggered by events of this type, by any pattern.',
      examples: ['message.received'],
    }),
  ),
  ...createdFilters,
});

export type RuleObject = Static<typeof Rule>;
export type CreateRuleBody = Static<typeof CreateRule>;
export type UpdateRuleBody = Static<typeof UpdateRule>;
