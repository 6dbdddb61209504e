/**
 * Chooses the source of sums: roll-ups, unless a filter requires single clicks. Single clicks are counted if they are
 * still stored and there are at most MAX_RAW of them, which is known from roll-ups.
 */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Dimension } from '../clicks/scopes.ts';
import { type NumberedSegment, sumBuckets, sumValues } from './analytics.store.ts';
import type { Scope } from './analytics-scope.ts';
import { type RawFilter, sumRawBuckets, type Sums, sumRawValues } from './raw-clicks.store.ts';
import { splitLinkRange, countRows, type Segment, splitRange } from './segments.ts';
import { ceilTo, floorTo, type Range } from './time-buckets.ts';
import { DAY, QUARTER } from '../../../platform/time/zone.ts';

/** Maximum number of single clicks per request. */
const MAX_RAW = 500_000;
/** Maximum number of roll-up rows per request. */
const MAX_ROWS = 200_000;

export const NO_SUMS: Sums = { clicks: 0, unique_clicks: 0, bot_clicks: 0 };

export interface Source {
  unit: ReadUnit;
  workspaceId: string;
  scope: Scope;
  filter: RawFilter;
  /** Whether only single clicks can answer the query. */
  isRaw: boolean;
  /** Start of the retention of single clicks, in milliseconds since 1970. */
  retainedFrom: number;
  now: number;
}

export interface ValueSums {
  value: string;
  clicks: number;
  bot_clicks: number | null;
}

const tooLong = (detail: string): Problem => new Problem('range_too_long', detail);

/** Extends a range that ends now to the end of the day. There are no later clicks, so fewer segments are read. */
const extendToDay = ({ now }: Source, { from, to }: Range): Range => ({
  from,
  to: to >= now ? Math.max(to, ceilTo(now, DAY)) : to,
});

const numbered = (segments: Segment[], n = 0): NumberedSegment[] => segments.map((one) => ({ ...one, n }));

/** Checks the number of rows to read. @throws Problem range_too_long */
function assertAffordable(scopes: number, segments: NumberedSegment[]): NumberedSegment[] {
  const rows = segments.reduce((sum, segment) => sum + countRows(segment), 0);
  if (rows * scopes > MAX_ROWS)
    throw tooLong('The range is too long for one request. Choose a shorter range or a longer interval.');
  return segments;
}

const getSplitter = ({ scope }: Source): ((range: Range) => Segment[]) =>
  scope.links === null ? splitRange : splitLinkRange;

/** Builds the segments of a range, for all scopes of the query. @throws Problem range_too_long */
const segmentsFor = (source: Source, range: Range): NumberedSegment[] =>
  assertAffordable(source.scope.rollups.length, numbered(getSplitter(source)(extendToDay(source, range))));

/** Builds the segments of a range for a number of links. @throws Problem range_too_long */
export const linkSegmentsFor = (source: Source, range: Range, links: number): NumberedSegment[] =>
  assertAffordable(links, numbered(splitLinkRange(extendToDay(source, range))));

/**
 * Counts the clicks that must be read for a range: those of its full UTC days, because clicks are partitioned by day.
 */
async function countRaw({ unit, workspaceId, scope }: Source, { from, to }: Range): Promise<number> {
  const days = splitRange({ from: floorTo(from, DAY), to: ceilTo(to, DAY) });
  const scopes = scope.links ?? [workspaceId];
  const sums = await sumBuckets(
    unit.db,
    workspaceId,
    scopes,
    assertAffordable(scopes.length, numbered(days)),
  );
  const { clicks, bot_clicks: bots } = sums.get(0) ?? NO_SUMS;
  return clicks + bots;
}

/** Checks that single clicks of a range are stored and few enough. @throws Problem range_too_long */
export async function assertRaw(source: Source, range: Range): Promise<void> {
  if (range.from < source.retainedFrom)
    throw tooLong(
      `Filters require single clicks, which are available from ${new Date(source.retainedFrom).toISOString()} on. Choose a later range or remove the filters.`,
    );
  if ((await countRaw(source, range)) > MAX_RAW)
    throw tooLong(
      `Filters require single clicks, and the range has more than ${MAX_RAW} of them. Choose a shorter range or a single link, or remove the filters.`,
    );
}

const rawRange = ({ scope }: Source, range: Range) => ({
  ...range,
  links: scope.links,
  domain: scope.domain,
});

/** Applies the filter by `bot` to sums, which needs no single clicks. */
const applyBotFilter = ({ filter: { bot } }: Source, sums: Sums): Sums => ({
  clicks: bot === true ? 0 : sums.clicks,
  unique_clicks: bot === true ? 0 : sums.unique_clicks,
  bot_clicks: bot === false ? 0 : sums.bot_clicks,
});

/**
 * Sums each interval, in order. The first and last interval may extend beyond the range; clicks outside are not
 * counted.
 * @param bounds starts of the intervals, followed by the end of the last one
 * @throws Problem range_too_long
 */
export async function sumSeries(source: Source, range: Range, bounds: readonly number[]): Promise<Sums[]> {
  const { unit, workspaceId, scope, filter, isRaw } = source;
  const parts = bounds.slice(0, -1).map((start, n) => ({
    from: Math.max(start, range.from),
    to: Math.min(bounds[n + 1]!, range.to),
  }));
  let found: Map<number, Sums>;
  if (isRaw) {
    await assertRaw(source, range);
    const starts = parts.map(({ from }) => from);
    found = await sumRawBuckets(unit.db, workspaceId, rawRange(source, range), filter, starts);
  } else {
    const segments = parts.flatMap((part, n) => numbered(getSplitter(source)(part), n));
    assertAffordable(scope.rollups.length, segments);
    found = await sumBuckets(unit.db, workspaceId, scope.rollups, segments);
  }
  return parts.map((_part, n) => applyBotFilter(source, found.get(n) ?? NO_SUMS));
}

/** Sums the whole range. @throws Problem range_too_long */
export async function sumTotal(source: Source, range: Range): Promise<Sums> {
  const { unit, workspaceId, scope, isRaw } = source;
  if (isRaw) return (await sumSeries(source, range, [range.from, range.to]))[0]!;
  const segments = segmentsFor(source, range);
  return applyBotFilter(
    source,
    (await sumBuckets(unit.db, workspaceId, scope.rollups, segments)).get(0) ?? NO_SUMS,
  );
}

/**
 * Returns the range for which dimensions are available. If it starts or ends within an hour (for links: a UTC day)
 * whose single clicks are not stored or too many, it is widened to the full hour or day.
 */
export async function rangeForDimensions(source: Source, range: Range): Promise<Range> {
  if (source.isRaw) return range;
  let { from, to } = range;
  for (const { from: begin, to: end, quarters } of getSplitter(source)(extendToDay(source, range))) {
    if (!quarters) continue;
    const isKept = begin >= source.retainedFrom;
    if (isKept && (await countRaw(source, { from: begin, to: end })) <= MAX_RAW) continue;
    if (from > begin && from < end) from = begin;
    if (to > begin && to < end) to = end;
  }
  return { from, to };
}

/**
 * Counts clicks per value of a dimension, highest first.
 * @param only values to return; null for all
 * @throws Problem range_too_long
 */
export async function sumByValue(
  source: Source,
  range: Range,
  options: { by: Dimension; only: readonly string[] | null; limit: number },
): Promise<ValueSums[]> {
  const { unit, workspaceId, scope, filter, isRaw } = source;
  const { by: dimension, only, limit } = options;
  if (isRaw) {
    await assertRaw(source, range);
    return sumRawValues(unit.db, workspaceId, rawRange(source, range), filter, options);
  }
  const all = segmentsFor(source, range);
  const edges = all.flatMap(({ from, quarters }) =>
    quarters
      ? [rawRange(source, { from: from + quarters[0] * QUARTER, to: from + quarters[1] * QUARTER })]
      : [],
  );
  const segments = all.filter(({ quarters }) => !quarters);
  const rows = await sumValues(unit.db, workspaceId, scope.rollups, segments, edges, {
    dimension,
    only,
    limit,
  });
  return rows.map((row) => ({ ...row, bot_clicks: filter.bot === false ? 0 : null }));
}
