/** Schemas of analytics and of their queries. */
import Type, { type Static, type TOptional, type TString } from 'typebox';
import { Enum, Nullable, Strict, Timestamp } from '../../../platform/http/schema.ts';
import { Id } from '../../../core/api/id-schema.ts';
import { MAX_DESTINATION } from '../clicks/click-record.ts';
import { type Dimension, DIMENSIONS } from '../clicks/scopes.ts';
import { DIMENSION_KINDS, GROUPS } from './dimensions.ts';
import { INTERVALS } from './time-buckets.ts';

const MAX_VALUES_SHOWN = 1_000;

const Count = (description: string, example: number) => Type.Number({ description, examples: [example] });
const UNIQUE = 'Clicks by people, counting each visitor once per link and UTC day';

const Sums = {
  clicks: Count('Clicks by people.', 1204),
  unique_clicks: Count(`${UNIQUE}.`, 980),
  bot_clicks: Count('Clicks by bots and link previews.', 77),
};

const SumsOfValue = {
  clicks: Sums.clicks,
  unique_clicks: Nullable(Type.Number(), {
    description: `${UNIQUE}; null if they are not counted, as for values of a dimension.`,
    examples: [980],
  }),
  bot_clicks: Nullable(Type.Number(), {
    description:
      'Clicks by bots and link previews; null for values of a dimension, unless you filter by `bot` or another dimension.',
    examples: [77],
  }),
};

const Period = {
  from: Timestamp('Start of the range.'),
  to: Timestamp('End of the range (exclusive).'),
};

export const AnalyticsItem = Type.Object(
  {
    start: Nullable(Timestamp('Start of the interval; null unless grouped by `time`.')),
    value: Nullable(Type.String(), {
      description:
        'Value of the dimension; null if unknown (such as the referrer of a direct visit) or if grouped by `time`. `(other)` combines values beyond the 1,000 that are counted separately. For `bot` it is `true` or `false`, for `link` its ID.',
      examples: [null],
    }),
    link: Nullable(
      Type.Object(
        {
          id: Id('link'),
          short_url: Type.String({
            description: 'The short URL.',
            examples: ['http://localhost:3000/launch'],
          }),
          url: Type.String({ description: 'The destination URL.', examples: ['https://example.com/spring'] }),
          title: Nullable(Type.String(), { description: 'Name of the link.', examples: ['Spring launch'] }),
        },
        { title: 'AnalyticsLink' },
      ),
      { description: 'The link, if grouped by `link`.', examples: [null] },
    ),
    ...SumsOfValue,
    previous: Nullable(Type.Object(SumsOfValue, { title: 'AnalyticsItemBefore' }), {
      description: 'Values of the previous period, if you compare.',
      examples: [null],
    }),
  },
  { title: 'AnalyticsItem' },
);

export const Analytics = Type.Object(
  {
    object: Type.Literal('analytics', { description: 'Always `analytics`.', examples: ['analytics'] }),
    from: Timestamp(
      'Start of the range: as requested, widened to a quarter hour, or for dimensions to an hour or a UTC day.',
    ),
    to: Timestamp('End of the range (exclusive).'),
    time_zone: Type.String({
      description: 'Time zone of dates and intervals.',
      examples: ['Europe/Berlin'],
    }),
    interval: Nullable(Enum(INTERVALS), {
      description: 'Length of the intervals; null unless grouped by `time`.',
      examples: ['day'],
    }),
    group_by: Enum(GROUPS, { description: 'What `data` is grouped by.', examples: ['time'] }),
    totals: Type.Object(Sums, { title: 'AnalyticsTotals', description: 'Totals of the whole range.' }),
    previous: Nullable(
      Type.Object(
        {
          ...Period,
          totals: Type.Object(Sums, {
            title: 'AnalyticsTotalsBefore',
            description: 'Totals of the previous period.',
          }),
        },
        { title: 'AnalyticsPeriodBefore' },
      ),
      {
        description:
          'The previous period: of the same length by the clock, ending where the range starts; null unless you compare.',
        examples: [null],
      },
    ),
    complete: Type.Boolean({
      description:
        'False only for `link`, if so many links have similar clicks that only the 2,000 with the most clicks of all time were compared.',
      examples: [true],
    }),
    data: Type.Array(AnalyticsItem, {
      description:
        'For `time`, all intervals of the range in order, including those without clicks. Otherwise the values with the most clicks first.',
    }),
  },
  { title: 'Analytics' },
);

const TimeOrDate = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 60, description, examples: [example] });

const DIMENSION_FILTERS = Object.fromEntries(
  DIMENSIONS.map((name) => [
    name,
    Type.Optional(
      Type.String({
        maxLength: name === 'destination_url' ? MAX_DESTINATION : 200,
        pattern: '^[^\\u0000]*$',
        description: `Only clicks with this value of \`${name}\` (${DIMENSION_KINDS[name].values}); empty for clicks without a known value.`,
        examples: [DIMENSION_KINDS[name].example],
      }),
    ),
  ]),
) as Record<Dimension, TOptional<TString>>;

/** Filters of clicks, shared by analytics and the list of clicks. */
export const CLICK_FILTERS = {
  bot: Type.Optional(
    Type.Boolean({ description: 'Only bots and link previews, or only people.', examples: [false] }),
  ),
  ...DIMENSION_FILTERS,
};

export const AnalyticsQuery = Strict({
  link_id: Type.Optional(Id('link', 'Only clicks on this link.')),
  tag: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[^\\u0000]*$',
      description: 'Only clicks on links that currently have the tag with this name.',
      examples: ['spring'],
    }),
  ),
  domain: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 260,
      pattern: '^[^\\u0000]*$',
      description: "Only clicks on links of this domain: this server's host or one of your domains.",
      examples: ['localhost:3000'],
    }),
  ),
  from: Type.Optional(
    TimeOrDate(
      'Start of the range: RFC 3339, or a date in the time zone. Default: 30 days ending with `to`.',
      '2026-01-01',
    ),
  ),
  to: Type.Optional(
    TimeOrDate(
      'End of the range: RFC 3339 (exclusive), or a date in the time zone (inclusive). Default: now.',
      '2026-01-31',
    ),
  ),
  time_zone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 60,
      default: 'UTC',
      description: 'IANA name of a time zone.',
      examples: ['Europe/Berlin'],
    }),
  ),
  interval: Type.Optional(
    Enum(INTERVALS, {
      description:
        'Length of the intervals for `time`, in the time zone; weeks start on Monday. Default: chosen by the length of the range.',
      examples: ['day'],
    }),
  ),
  group_by: Type.Optional(
    Enum(GROUPS, { default: 'time', description: 'What to group the result by.', examples: ['time'] }),
  ),
  compare: Type.Optional(
    Enum(['previous_period'], {
      description: 'Adds the values of the previous period, of the same length by the clock.',
      examples: ['previous_period'],
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_VALUES_SHOWN,
      default: 25,
      description: 'Maximum number of values. Intervals of time are always complete.',
      examples: [25],
    }),
  ),
  ...CLICK_FILTERS,
});

export type AnalyticsQueryInput = Static<typeof AnalyticsQuery>;
export type AnalyticsObject = Static<typeof Analytics>;
export type AnalyticsItemObject = Static<typeof AnalyticsItem>;
