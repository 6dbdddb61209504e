/** Analytics as the API shows them, and what can be asked for. */
import Type, { type Static, type TOptional, type TString } from 'typebox';
import { Enum, Id, Nullable, Strict, Timestamp } from '../../../platform/http/schema.ts';
import { type Dimension, DIMENSIONS } from '../clicks/scopes.ts';
import { DIMENSION_KINDS, GROUPS } from './dimensions.ts';
import { INTERVALS } from './time-buckets.ts';

const MAX_VALUES_SHOWN = 1_000;

const Count = (description: string, example: number) => Type.Number({ description, examples: [example] });
const UNIQUE = 'Of the clicks, the first of each visitor on a link on a UTC day';

const Sums = {
  clicks: Count('Clicks of people.', 1204),
  unique_clicks: Count(`${UNIQUE}.`, 980),
  bot_clicks: Count('Visits of bots and preview fetchers.', 77),
};

const SumsOfValue = {
  clicks: Sums.clicks,
  unique_clicks: Nullable(Type.Number(), {
    description: `${UNIQUE}; null where they are not counted, as by the values of a dimension.`,
    examples: [980],
  }),
  bot_clicks: Nullable(Type.Number(), {
    description:
      'Visits of bots and preview fetchers; null by the values of a dimension, unless you filter by `bot` or another dimension.',
    examples: [77],
  }),
};

const Period = {
  from: Timestamp('Where the range begins.'),
  to: Timestamp('Where it ends; not in it.'),
};

export const AnalyticsItem = Type.Object(
  {
    start: Nullable(Timestamp('Where the interval begins; null unless grouped by `time`.')),
    value: Nullable(Type.String(), {
      description:
        'The value that the clicks have; null where it is not known (as the referrer of a direct visit), and where they are grouped by `time`. `(other)`: values beyond the 1,000 that are kept apart. For `bot` it is `true` or `false`, for `link` its id.',
      examples: [null],
    }),
    link: Nullable(
      Type.Object(
        {
          id: Id('link'),
          short_url: Type.String({
            description: 'The short address.',
            examples: ['http://localhost:3000/launch'],
          }),
          url: Type.String({ description: 'Where it leads.', examples: ['https://example.com/spring'] }),
          title: Nullable(Type.String(), { description: 'What you call it.', examples: ['Spring launch'] }),
        },
        { title: 'AnalyticsLink' },
      ),
      { description: 'The link, where grouped by `link`.', examples: [null] },
    ),
    ...SumsOfValue,
    previous: Nullable(Type.Object(SumsOfValue, { title: 'AnalyticsItemBefore' }), {
      description: 'The same of the period before, where you compare.',
      examples: [null],
    }),
  },
  { title: 'AnalyticsItem' },
);

export const Analytics = Type.Object(
  {
    object: Type.Literal('analytics', { description: 'Always `analytics`.', examples: ['analytics'] }),
    from: Timestamp(
      'Where the range begins: what you asked for, widened to a quarter of an hour, or by dimension to an hour or a UTC day.',
    ),
    to: Timestamp('Where the range ends; not in it.'),
    time_zone: Type.String({
      description: 'By whose clocks dates and intervals go.',
      examples: ['Europe/Berlin'],
    }),
    interval: Nullable(Enum(INTERVALS), {
      description: 'Length of the intervals; null unless grouped by `time`.',
      examples: ['day'],
    }),
    group_by: Enum(GROUPS, { description: 'What `data` goes by.', examples: ['time'] }),
    totals: Type.Object(Sums, { title: 'AnalyticsTotals', description: 'Of the whole range.' }),
    previous: Nullable(
      Type.Object(
        {
          ...Period,
          totals: Type.Object(Sums, { title: 'AnalyticsTotalsBefore', description: 'Its sums.' }),
        },
        { title: 'AnalyticsPeriodBefore' },
      ),
      {
        description:
          'The period before, as long by the clock and ending where the range begins; null unless you compare.',
        examples: [null],
      },
    ),
    complete: Type.Boolean({
      description:
        'False only for `link` where so many links are clicked alike that the 2,000 with the most clicks of all time were compared, and no others.',
      examples: [true],
    }),
    data: Type.Array(AnalyticsItem, {
      description:
        'For `time` each interval of the range in its order, those without clicks too; else the values with the most clicks first.',
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
        maxLength: 200,
        pattern: '^[^\\u0000]*$',
        description: `Only clicks with this value of \`${name}\` (${DIMENSION_KINDS[name].values}); empty for those of which it is not known.`,
        examples: [DIMENSION_KINDS[name].example],
      }),
    ),
  ]),
) as Record<Dimension, TOptional<TString>>;

/** Filters that clicks are chosen by, here and in the list of clicks. */
export const CLICK_FILTERS = {
  bot: Type.Optional(
    Type.Boolean({ description: 'Only bots and preview fetchers, or only people.', examples: [false] }),
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
      description: 'Only clicks on links that have this tag now; its name.',
      examples: ['spring'],
    }),
  ),
  domain: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 260,
      pattern: '^[^\\u0000]*$',
      description: "Only clicks on links of this domain: this server's host, or one of your domains.",
      examples: ['localhost:3000'],
    }),
  ),
  from: Type.Optional(
    TimeOrDate(
      'Where the range begins: RFC 3339, or a date in the time zone. Default: 30 days, the last one among them.',
      '2026-01-01',
    ),
  ),
  to: Type.Optional(
    TimeOrDate(
      'Where the range ends: RFC 3339, which is not in it, or a date in the time zone, which is. Default: now.',
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
        'Length of the intervals for `time`, by clocks of the time zone; weeks begin on Monday. Default: by the length of the range.',
      examples: ['day'],
    }),
  ),
  group_by: Type.Optional(
    Enum(GROUPS, { default: 'time', description: 'What the answer goes by.', examples: ['time'] }),
  ),
  compare: Type.Optional(
    Enum(['previous_period'], {
      description: 'Adds the same of the period before, as long by the clock.',
      examples: ['previous_period'],
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_VALUES_SHOWN,
      default: 25,
      description: 'How many values to answer. Intervals of time are always all there.',
      examples: [25],
    }),
  ),
  ...CLICK_FILTERS,
});

export type AnalyticsQueryInput = Static<typeof AnalyticsQuery>;
export type AnalyticsObject = Static<typeof Analytics>;
export type AnalyticsItemObject = Static<typeof AnalyticsItem>;
