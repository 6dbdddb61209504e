/** Computes `data` of an analytics response for each kind of grouping. */
import { Problem } from '../../../platform/http/problem.ts';
import type { Dimension } from '../clicks/scopes.ts';
import type { AnalyticsItemObject } from './analytics.schema.ts';
import { buildShortUrl } from '../records/link-present.ts';
import { toLinkId } from './analytics-scope.ts';
import { linkAddresses } from './analytics-scope.store.ts';
import {
  assertRaw,
  NO_SUMS,
  linkSegmentsFor,
  sumSeries,
  type Source,
  sumByValue,
} from './analytics-source.ts';
import { type Sums, sumRawValues } from './raw-clicks.store.ts';
import { bucketBounds, earlier, type Interval, MAX_POINTS, type Range, wallLength } from './time-buckets.ts';
import { type LinkSum, topLinks, rankByClicks } from './top-links.ts';
import { sumScopes } from './analytics.store.ts';
import type { Zone } from '../../../platform/time/zone.ts';

export interface Grouped {
  data: AnalyticsItemObject[];
  isComplete: boolean;
}

const add = (all: readonly Sums[]): Sums => ({
  clicks: all.reduce((sum, { clicks }) => sum + clicks, 0),
  unique_clicks: all.reduce((sum, one) => sum + one.unique_clicks, 0),
  bot_clicks: all.reduce((sum, one) => sum + one.bot_clicks, 0),
});

/**
 * Groups by time, with the corresponding interval of the previous period, shifted by the wall-clock length of the
 * range.
 */
export async function groupByTime(
  source: Source,
  zone: Zone,
  interval: Interval,
  range: Range,
  previousRange: Range | null,
): Promise<Grouped & { totals: Sums; totalsBefore: Sums | null }> {
  const bounds = bucketBounds(zone, interval, range);
  if (bounds === null)
    throw new Problem(
      'range_too_long',
      `The result would have more than ${MAX_POINTS} intervals. Choose longer intervals or a shorter range.`,
      {
        errors: [{ pointer: '?interval', code: 'range_too_long', detail: `at most ${MAX_POINTS} intervals` }],
      },
    );
  const series = await sumSeries(source, range, bounds);
  const length = wallLength(zone, range);
  const inner = bounds.slice(1, -1).map((at) => earlier(zone, at, length));
  const previousSeries =
    previousRange &&
    (await sumSeries(source, previousRange, [previousRange.from, ...inner, previousRange.to]));
  return {
    data: series.map((sums, n) => ({
      start: new Date(bounds[n]!).toISOString(),
      value: null,
      link: null,
      ...sums,
      previous: previousSeries && previousSeries[n]!,
    })),
    isComplete: true,
    totals: add(series),
    totalsBefore: previousSeries && add(previousSeries),
  };
}

export async function groupByValue(
  source: Source,
  dimension: Dimension,
  range: Range,
  previousRange: Range | null,
  limit: number,
): Promise<Grouped> {
  const rows = await sumByValue(source, range, { by: dimension, only: null, limit });
  const only = rows.map(({ value }) => value);
  const rowsBefore =
    previousRange && (await sumByValue(source, previousRange, { by: dimension, only, limit }));
  const previousByKey = rowsBefore && new Map(rowsBefore.map((row) => [row.value, row]));
  const bots = source.isRaw || source.filter.bot === false ? 0 : null;
  return {
    data: rows.map(({ value, clicks, bot_clicks }) => ({
      start: null,
      value: value === '' ? null : value,
      link: null,
      clicks,
      unique_clicks: null,
      bot_clicks,
      previous: previousByKey && {
        clicks: previousByKey.get(value)?.clicks ?? 0,
        unique_clicks: null,
        bot_clicks: previousByKey.get(value)?.bot_clicks ?? bots,
      },
    })),
    isComplete: true,
  };
}

type LinkRow = Omit<LinkSum, 'unique_clicks'> & { unique_clicks: number | null };

async function rawLinks(
  { unit, workspaceId, scope, filter }: Source,
  range: Range,
  only: readonly string[] | null,
  limit: number,
): Promise<LinkRow[]> {
  const of = { ...range, links: scope.links, domain: scope.domain };
  const rows = await sumRawValues(unit.db, workspaceId, of, filter, { by: 'link', only, limit });
  return rows.map(({ value, ...sums }) => ({ id: value, ...sums, unique_clicks: null }));
}

async function rankLinks(
  source: Source,
  range: Range,
  limit: number,
): Promise<{ links: LinkRow[]; isComplete: boolean }> {
  const { unit, workspaceId, scope } = source;
  if (source.isRaw) {
    await assertRaw(source, range);
    return { links: await rawLinks(source, range, null, limit), isComplete: true };
  }
  const segments = linkSegmentsFor(source, range, scope.links?.length ?? 1);
  if (scope.links) {
    const links = await rankByClicks(unit.db, workspaceId, scope.links, segments);
    return { links: links.slice(0, limit), isComplete: true };
  }
  const since = new Date(range.from);
  return topLinks(unit.db, workspaceId, segments, { since, domain: scope.domain, limit });
}

/** Reads the sums of the same links in another range. */
async function sumLinks(source: Source, range: Range, ids: string[]): Promise<Map<string, LinkRow>> {
  const { unit, workspaceId } = source;
  if (source.isRaw) {
    await assertRaw(source, range);
    return new Map((await rawLinks(source, range, ids, ids.length)).map((row) => [row.id, row]));
  }
  const sums = await sumScopes(unit.db, workspaceId, ids, linkSegmentsFor(source, range, ids.length));
  return new Map([...sums].map(([id, sum]) => [id, { id, ...sum }]));
}

/** Groups by link, the links with the most clicks first. */
export async function groupByLink(
  source: Source,
  range: Range,
  previousRange: Range | null,
  limit: number,
  baseUrl: string,
): Promise<Grouped> {
  const { unit, workspaceId, filter, isRaw } = source;
  const { links, isComplete } = await rankLinks(source, range, limit);
  const ids = links.map(({ id }) => id);
  const earlierBy = previousRange && (await sumLinks(source, previousRange, ids));
  const addresses = await linkAddresses(unit.db, workspaceId, ids);
  const toSums = ({ clicks, unique_clicks, bot_clicks }: Omit<LinkRow, 'id'>) => ({
    clicks,
    unique_clicks: isRaw ? null : unique_clicks,
    bot_clicks: filter.bot === false ? 0 : bot_clicks,
  });
  const data = links.flatMap((row): AnalyticsItemObject[] => {
    const link = addresses.get(row.id);
    // Deleted between the two queries.
    if (!link) return [];
    return [
      {
        start: null,
        value: toLinkId(row.id),
        link: {
          id: toLinkId(row.id),
          short_url: buildShortUrl(baseUrl, link.domain, link.slug),
          url: link.url,
          title: link.title,
        },
        ...toSums(row),
        previous: earlierBy && toSums(earlierBy.get(row.id) ?? NO_SUMS),
      },
    ];
  });
  return { data, isComplete };
}
