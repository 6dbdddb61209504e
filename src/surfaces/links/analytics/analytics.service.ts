/** Aggregates clicks over time, by dimension or by link, optionally compared with the previous period. */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { DIMENSIONS } from '../clicks/scopes.ts';
import type { AnalyticsItemObject, AnalyticsObject, AnalyticsQueryInput } from './analytics.schema.ts';
import { type Grouped, groupByLink, groupByTime, groupByValue } from './analytics-groups.ts';
import { rangeBefore, readRange } from './analytics-range.ts';
import { readScope } from './analytics-scope.ts';
import { rangeForDimensions, type Source, sumTotal } from './analytics-source.ts';
import { type DimensionFilter, type Group, isDimension } from './dimensions.ts';
import type { Sums } from './raw-clicks.store.ts';
import { intervalFor, type Range } from './time-buckets.ts';
import { DAY, type Zone } from '../../../platform/time/zone.ts';

export interface AnalyticsDeps {
  baseUrl: string;
  /** Days for which single clicks are stored. */
  clicksKeptDays: number;
}

/** Returns the start of retention: clicks of today and of the given number of days before are stored. */
export const getRetentionStart = (now: Date, days: number): number =>
  (Math.floor(now.getTime() / DAY) - days) * DAY;

const DEFAULT_LIMIT = 25;

export const getDimensionFilter = (
  query: Partial<Record<(typeof DIMENSIONS)[number], string>>,
): DimensionFilter =>
  Object.fromEntries(DIMENSIONS.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])));

const iso = (time: number): string => new Date(time).toISOString();
const byPeople = ({ clicks, unique_clicks: uniques }: Sums): Sums => ({
  clicks,
  unique_clicks: uniques,
  bot_clicks: 0,
});

/** Groups by `bot`: people and bots as two values. */
function groupByBot(totals: Sums, before: Sums | null, bot: boolean | null): AnalyticsItemObject[] {
  const item = (value: string, of: (sums: Sums) => Sums): AnalyticsItemObject => ({
    start: null,
    value,
    link: null,
    ...of(totals),
    previous: before && of(before),
  });
  const bots = ({ bot_clicks }: Sums): Sums => ({ clicks: 0, unique_clicks: 0, bot_clicks });
  return [...(bot === true ? [] : [item('false', byPeople)]), ...(bot === false ? [] : [item('true', bots)])];
}

async function groupData(
  source: Source,
  deps: AnalyticsDeps,
  query: AnalyticsQueryInput,
  {
    zone,
    range,
    before,
    sums,
  }: { zone: Zone; range: Range; before: Range | null; sums: () => Promise<SumsOfBoth> },
): Promise<Grouped & SumsOfBoth> {
  const group: Group = query.group_by ?? 'time';
  const limit = query.limit ?? DEFAULT_LIMIT;
  if (group === 'time') {
    const interval = query.interval ?? intervalFor(range);
    return groupByTime(source, zone, interval, range, before);
  }
  const both = await sums();
  if (group === 'bot')
    return { ...both, data: groupByBot(both.totals, both.totalsBefore, source.filter.bot), isComplete: true };
  if (isDimension(group)) return { ...both, ...(await groupByValue(source, group, range, before, limit)) };
  return { ...both, ...(await groupByLink(source, range, before, limit, deps.baseUrl)) };
}

export interface SumsOfBoth {
  totals: Sums;
  totalsBefore: Sums | null;
}

/** Answers an analytics query. @throws Problem invalid_request, not_found, range_too_long */
export async function getAnalytics(
  unit: ReadUnit,
  deps: AnalyticsDeps,
  workspaceId: string,
  query: AnalyticsQueryInput,
): Promise<AnalyticsObject> {
  const now = unit.clock();
  const { zone, range: requested } = readRange(query, now);
  const scope = await readScope(unit, workspaceId, query, deps.baseUrl);
  const group: Group = query.group_by ?? 'time';
  const filter = { dimensions: getDimensionFilter(query), bot: query.bot ?? null };
  const isByDimension = isDimension(group);
  const source: Source = {
    unit,
    workspaceId,
    scope,
    filter,
    isRaw:
      Object.keys(filter.dimensions).length > 0 ||
      (filter.bot === true && (isByDimension || group === 'link')),
    retainedFrom: getRetentionStart(now, deps.clicksKeptDays),
    now: now.getTime(),
  };
  const widen = (range: Range): Promise<Range> | Range =>
    isByDimension ? rangeForDimensions(source, range) : range;
  const range = await widen(requested);
  const before = query.compare === undefined ? null : await widen(rangeBefore(zone, requested));
  const sums = async (): Promise<SumsOfBoth> => ({
    totals: await sumTotal(source, range),
    totalsBefore: before && (await sumTotal(source, before)),
  });
  const { totals, totalsBefore, data, isComplete } = await groupData(source, deps, query, {
    zone,
    range,
    before,
    sums,
  });
  return {
    object: 'analytics',
    from: iso(range.from),
    to: iso(range.to),
    time_zone: zone.name,
    interval: group === 'time' ? (query.interval ?? intervalFor(range)) : null,
    group_by: group,
    totals,
    previous: before && { from: iso(before.from), to: iso(before.to), totals: totalsBefore! },
    complete: isComplete,
    data,
  };
}
