/**
 * Reads roll-ups. Each segment is a range of the primary key of `click_rollups` for one scope, so the cost of a query
 * depends on the number of segments and their rows, and not on the number of clicks.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { type Dimension, DIMENSIONS } from '../clicks/scopes.ts';
import { rawValue, type RawRange, type Sums, whereRaw } from './raw-clicks.store.ts';
import type { Segment } from './segments.ts';

export interface NumberedSegment extends Segment {
  /** Index of the bucket that the segment belongs to. */
  n: number;
}

/**
 * Builds rows `s` (segment and scope) joined with their roll-ups `r`. `offset 0` keeps the planner from flattening the
 * lateral join: with the outdated statistics of a fast-growing table, it would sometimes choose a full scan.
 */
const selectRollups = (
  workspaceId: string,
  scopes: readonly string[],
  segments: readonly NumberedSegment[],
  columns: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  unnest(${scopes}::uuid[]) as scope (id)
  cross join unnest(
    ${segments.map(({ n }) => n)}::int[],
    ${segments.map(({ resolution }) => resolution[0])}::"char"[],
    ${segments.map(({ from }) => new Date(from).toISOString())}::timestamptz[],
    ${segments.map(({ to }) => new Date(to).toISOString())}::timestamptz[],
    ${segments.map(({ quarters }) => quarters?.[0] ?? null)}::int[],
    ${segments.map(({ quarters }) => quarters?.[1] ?? null)}::int[]
  ) as s (n, resolution, begins, ends, first_quarter, below_quarter)
  cross join lateral (
    select ${columns} from click_rollups
    where workspace_id = ${workspaceId} and scope_id = scope.id and resolution = s.resolution
      and bucket >= s.begins and bucket < s.ends
    offset 0
  ) as r`;

/** `quarters` holds number, people, bots and uniques of each quarter hour in sequence. */
const COUNTED = sql`clicks, bots, uniques, quarters`;
const PARTS = sql`
  cross join lateral (
    select r.clicks, r.bots, r.uniques where s.first_quarter is null
    union all
    select sum(r.quarters[q + 1])::int, sum(r.quarters[q + 2])::int, sum(r.quarters[q + 3])::int
    from generate_series(1, cardinality(r.quarters), 4) as q
    where s.first_quarter is not null and r.quarters[q] >= s.first_quarter and r.quarters[q] < s.below_quarter
  ) as c`;
const SUMS = sql`
  coalesce(sum(c.clicks), 0)::float8 as clicks, coalesce(sum(c.bots), 0)::float8 as bot_clicks,
  coalesce(sum(c.uniques), 0)::float8 as unique_clicks`;

/** Sums each bucket over all scopes; buckets without clicks are left out. */
export async function sumBuckets(
  db: Db,
  workspaceId: string,
  scopes: readonly string[],
  segments: readonly NumberedSegment[],
): Promise<Map<number, Sums>> {
  const { rows } = await sql<Sums & { n: number }>`
    select s.n, ${SUMS} from ${selectRollups(workspaceId, scopes, segments, COUNTED)} ${PARTS} group by s.n
  `.execute(db);
  return new Map(rows.map(({ n, ...sums }) => [n, sums]));
}

/** Sums each scope over all segments; scopes without clicks are left out. */
export async function sumScopes(
  db: Db,
  workspaceId: string,
  scopes: readonly string[],
  segments: readonly NumberedSegment[],
): Promise<Map<string, Sums>> {
  const { rows } = await sql<Sums & { id: string }>`
    select scope.id, ${SUMS} from ${selectRollups(workspaceId, scopes, segments, COUNTED)} ${PARTS} group by scope.id
  `.execute(db);
  return new Map(rows.map(({ id, ...sums }) => [id, sums]));
}

export interface ValueSum {
  /** '' if unknown. */
  value: string;
  clicks: number;
}

/**
 * Counts clicks by people per value of a dimension, highest first.
 * @param segments full days and hours; values are counted as in ValueCounts
 * @param edges parts of hours or days, for which single clicks are counted
 * @param only values to return; null for all
 */
export async function sumValues(
  db: Db,
  workspaceId: string,
  scopes: readonly string[],
  segments: readonly NumberedSegment[],
  edges: readonly RawRange[],
  { dimension, only, limit }: { dimension: Dimension; only: readonly string[] | null; limit: number },
): Promise<ValueSum[]> {
  const parts = [
    sql`
      select v.value, v.clicks
      from ${selectRollups(workspaceId, scopes, segments, sql`clicks, dimensions -> ${sql.lit(DIMENSIONS.indexOf(dimension))} as counts`)}
      cross join lateral (
        select key as value, value::bigint as clicks
        from jsonb_each_text(case jsonb_typeof(r.counts) when 'object' then r.counts else '{}' end)
        union all
        select coalesce(r.counts #>> '{}', ''), r.clicks
        where r.clicks > 0 and jsonb_typeof(r.counts) is distinct from 'object'
      ) as v`,
    ...edges.map(
      (edge) => sql`
      select ${rawValue(dimension)} as value, count(*) as clicks
      from clicks c where ${whereRaw(workspaceId, edge)} and not c.bot group by 1`,
    ),
  ];
  const { rows } = await sql<ValueSum>`
    select value, sum(clicks)::float8 as clicks
    from (${sql.join(parts, sql` union all `)}) as counted
    ${only === null ? sql`` : sql`where value = any(${only}::text[])`}
    group by value order by sum(clicks) desc, value collate "C" limit ${limit}
  `.execute(db);
  return rows;
}
