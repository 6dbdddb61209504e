/** Counts of API requests as the API shows them. */
import Type, { type Static } from 'typebox';
import { Enum, Nullable, Strict, Timestamp } from '../../platform/http/schema.ts';
import { Id } from '../api/id-schema.ts';
import { statsRangeFields, statsRangeQuery } from '../api/stats-range.ts';
import { ACTOR_TYPES } from './request.schema.ts';

export const REQUEST_GROUPS = ['time', 'operation', 'status', 'actor'] as const;
export type RequestGroup = (typeof REQUEST_GROUPS)[number];

const MAX_VALUES = 1_000;

const COUNTS = {
  requests: Type.Integer({ minimum: 0, description: 'API requests.', examples: [5200] }),
  errors: Type.Integer({
    minimum: 0,
    description: 'API requests with a status of 400 or higher.',
    examples: [12],
  }),
  average_duration_ms: Nullable(Type.Number(), {
    description: 'Average duration in milliseconds; null if there were no requests.',
    examples: [11.4],
  }),
};

export const RequestUsage = Type.Object(
  {
    object: Type.Literal('request_usage', {
      description: 'Always `request_usage`.',
      examples: ['request_usage'],
    }),
    ...statsRangeFields,
    group_by: Enum(REQUEST_GROUPS, { description: 'What `data` is grouped by.', examples: ['time'] }),
    totals: Type.Object(COUNTS, {
      title: 'RequestUsageTotals',
      description: 'Totals of the whole range.',
    }),
    data: Type.Array(
      Type.Object(
        {
          start: Nullable(Timestamp('Start of the interval; null unless grouped by `time`.')),
          value: Nullable(Type.String(), {
            description:
              'The operation, the class of the status such as `4xx`, or the ID of the API key or person; null if grouped by `time`.',
            examples: [null],
          }),
          ...COUNTS,
        },
        { title: 'RequestUsageItem' },
      ),
      {
        description:
          'For `time`, all intervals of the range in order, including those without requests. Otherwise the values with the most requests first.',
      },
    ),
  },
  { title: 'RequestUsage' },
);

export const RequestUsageQuery = Strict({
  ...statsRangeQuery,
  group_by: Type.Optional(
    Enum(REQUEST_GROUPS, {
      default: 'time',
      description: 'What to group the result by.',
      examples: ['operation'],
    }),
  ),
  actor_type: Type.Optional(
    Enum(ACTOR_TYPES, {
      description: 'Only requests of API keys, or only those of people in the console.',
      examples: ['api_key'],
    }),
  ),
  api_key_id: Type.Optional(Id('api_key', 'Only requests of this API key.')),
  user_id: Type.Optional(Id('user', 'Only requests of this person.')),
  operation: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[^\\u0000]*$',
      description: 'Only requests to this operation.',
      examples: ['messages.create'],
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_VALUES,
      default: 100,
      description: 'Maximum number of values. Intervals of time are always complete.',
      examples: [25],
    }),
  ),
});

export type RequestUsageObject = Static<typeof RequestUsage>;
export type RequestUsageInput = Static<typeof RequestUsageQuery>;
