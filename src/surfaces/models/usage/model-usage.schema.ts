/** Schemas of the usage of models. */
import Type, { type Static } from 'typebox';
import { TOKEN_DETAIL_FIELDS } from '../contract/token-details.ts';
import { Enum, Nullable, Strict, Timestamp } from '../../../platform/http/schema.ts';
import { Id } from '../../../core/api/id-schema.ts';

export const USAGE_GROUPS = ['day', 'key', 'model', 'provider', 'route'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

const MAX_VALUES = 1_000;

const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

const Milliseconds = (share: string, example: number) =>
  Nullable(Type.Integer({ minimum: 0 }), {
    description: `Time in milliseconds to the first byte within which ${share} of the calls got it: accurate to 23 %, or to 5 ms below 10 ms; null if no call got one.`,
    examples: [example],
  });

const SUMS = {
  calls: Count('Calls that have ended.', 1204),
  failures: Count('Calls that failed or were interrupted. Canceled calls are not failures.', 3),
  input_tokens: Count('Input tokens, including cached ones.', 812_000),
  cached_tokens: Count('Input tokens that the provider read from its cache.', 120_000),
  output_tokens: Count('Output tokens, including reasoning.', 96_000),
  ...TOKEN_DETAIL_FIELDS,
  cost_usd: Type.Number({
    minimum: 0,
    description: 'Cost in US dollars of the calls whose price is known.',
    examples: [4.73],
  }),
  unpriced_calls: Count('Calls whose price is not known; they are missing from `cost_usd`.', 0),
  first_byte_p50_ms: Milliseconds('half', 420),
  first_byte_p95_ms: Milliseconds('95 %', 1800),
};

export const ModelUsage = Type.Object(
  {
    object: Type.Literal('model_usage', { description: 'Always `model_usage`.', examples: ['model_usage'] }),
    from: Timestamp('Start of the range: as requested, widened to full UTC days.'),
    to: Timestamp('End of the range (exclusive).'),
    group_by: Enum(USAGE_GROUPS, { description: 'What `data` is grouped by.', examples: ['day'] }),
    totals: Type.Object(SUMS, { title: 'ModelUsageTotals', description: 'Totals of the whole range.' }),
    data: Type.Array(
      Type.Object(
        {
          start: Nullable(Timestamp('Start of the UTC day; null unless grouped by `day`.')),
          value: Nullable(Type.String(), {
            description:
              'For `key`, the ID of the API key or person; for `model`, the ID of the model that answered; for `provider`, its ID, or null for built-in models and calls that no model answered; for `route`, its name, or null for calls without a route. null for `day`.',
            examples: [null],
          }),
          ...SUMS,
        },
        { title: 'ModelUsageItem' },
      ),
      {
        description:
          'For `day`, all days of the range in order, including those without calls. Otherwise the values with the most calls first.',
      },
    ),
  },
  { title: 'ModelUsage' },
);

const Text = (description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 300,
    pattern: '^[^\\u0000]*$',
    description,
    examples: [example],
  });

export const ModelUsageQuery = Strict({
  from: Type.Optional(Timestamp('Start of the range. Default: 30 days before `to`.')),
  to: Type.Optional(Timestamp('End of the range (exclusive). Default: now.')),
  group_by: Type.Optional(
    Enum(USAGE_GROUPS, {
      default: 'day',
      description: 'What to group the result by.',
      examples: ['model'],
    }),
  ),
  api_key_id: Type.Optional(Id('api_key', 'Only calls of this API key.')),
  user_id: Type.Optional(Id('user', 'Only calls of this person.')),
  model: Type.Optional(Text('Only calls that this model answered.', 'fairlead/echo')),
  provider_id: Type.Optional(Id('model_provider', 'Only calls to this model provider.')),
  route: Type.Optional(Text('Only calls of the model route with this name.', 'fast')),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_VALUES,
      default: 100,
      description: 'Maximum number of values. Days are always complete.',
      examples: [25],
    }),
  ),
});

export type ModelUsageObject = Static<typeof ModelUsage>;
export type ModelUsageInput = Static<typeof ModelUsageQuery>;
