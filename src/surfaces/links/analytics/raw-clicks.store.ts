/**
 * Counts single clicks: for filters, for bots by dimension, and for parts of hours. Callers ensure that the clicks are
 * still stored and few enough.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { firstUuidAt } from '../../../platform/db/uuid-time.ts';
import type { Dimension } from '../clicks/scopes.ts';
import type { DimensionFilter } from './dimensions.ts';
import type { Range } from './time-buckets.ts';
import { DAY } from '../../../platform/time/zone.ts';

export interface Sums {
  /** By people. */
  clicks: number;
  /** First clicks of a visitor on a link on a UTC day. */
  unique_clicks: number;
  bot_clicks: number;
}

export interface RawRange extends Range {
  /** Null for the whole workspace. */
  links: readonly string[] | null;
  /** As in `links.domain`; null for any. */
  domain: string | null;
}

export interface RawFilter {
  dimensions: DimensionFilter;
  bot: boolean | null;
}

const idAt = (time: number): string => firstUuidAt(new Date(time));

/** Selects the value of a dimension; '' if unknown. Cities include the country, as in roll-ups. */
export const rawValue = (dimension: Dimension): RawBuilder<string> =>
  dimension === 'city'
    ? sql`(case when coalesce(c.city, '') = '' then '' else c.city || coalesce(', ' || nullif(c.country, ''), '') end)`
    : sql`coalesce(${sql.ref(`c.${dimension}`)}, '')`;

/** Builds a condition on `clicks c`. IDs contain the time of the click, so only partitions of these days are read. */
export const whereRaw = (
  workspaceId: string,
  { from, to, links, domain }: RawRange,
): RawBuilder<boolean> => sql`
  c.workspace_id = ${workspaceId} and c.id >= ${idAt(from)}::uuid and c.id < ${idAt(to)}::uuid
  ${links === null ? sql`` : sql`and c.link_id = any(${links}::uuid[])`}
  ${
    domain === null
      ? sql``
      : sql`and exists (select from links l where l.workspace_id = c.workspace_id and l.id = c.link_id and l.domain = ${domain})`
  }`;

const whereFilter = ({ dimensions, bot }: RawFilter): RawBuilder<unknown> =>
  sql.join(
    [
      ...(bot === null ? [] : [sql`and c.bot = ${bot}`]),
      ...Object.entries(dimensions).map(
        ([name, value]) => sql`and ${rawValue(name as Dimension)} = ${value}`,
      ),
      sql``,
    ],
    sql` `,
  );

/**
 * Sums clicks by bucket. A visitor is counted once per link and UTC day, in the bucket of the first matching click.
 * @param bounds starts of the buckets, ascending; the first one is the start of the range
 */
export async function sumRawBuckets(
  db: Db,
  workspaceId: string,
  range: RawRange,
  filter: RawFilter,
  bounds: readonly number[],
): Promise<Map<number, Sums>> {
  const days: string[] = [];
  for (let day = Math.floor(range.from / DAY) * DAY; day < range.to; day += DAY) days.push(idAt(day));
  const { rows } = await sql<Sums & { n: number }>`
    with found as materialized (
      select c.link_id, c.visitor, c.bot, width_bucket(c.id, ${bounds.map(idAt)}::uuid[]) - 1 as n,
        width_bucket(c.id, ${days}::uuid[]) as day
      from clicks c where ${whereRaw(workspaceId, range)} ${whereFilter(filter)}
    ), counted as (
      select n, count(*) filter (where not bot) as clicks, count(*) filter (where bot) as bots
      from found group by n
    ), firsts as (
      select min(n) as n from found where not bot group by link_id, visitor, day
    ), uniques as (
      select n, count(*) as uniques from firsts group by n
    )
    select n, clicks::float8 as clicks, bots::float8 as bot_clicks, coalesce(uniques, 0)::float8 as unique_clicks
    from counted left join uniques using (n)
  `.execute(db);
  return new Map(rows.map(({ n, ...sums }) => [n, sums]));
}

export interface RawValueSum {
  value: string;
  clicks: number;
  bot_clicks: number;
}

/** Counts people and bots per value of a dimension, or per link (by ID), highest first. */
export async function sumRawValues(
  db: Db,
  workspaceId: string,
  range: RawRange,
  filter: RawFilter,
  { by, only, limit }: { by: Dimension | 'link'; only: readonly string[] | null; limit: number },
): Promise<RawValueSum[]> {
  const value = by === 'link' ? sql`c.link_id::text` : rawValue(by);
  const { rows } = await sql<RawValueSum>`
    select ${value} as value, (count(*) filter (where not c.bot))::float8 as clicks,
      (count(*) filter (where c.bot))::float8 as bot_clicks
    from clicks c where ${whereRaw(workspaceId, range)} ${whereFilter(filter)}
      ${only === null ? sql`` : sql`and ${value} = any(${only}::text[])`}
    group by 1
    order by ${filter.bot === true ? sql`3 desc` : sql`2 desc, 3 desc`}, ${value} collate "C" limit ${limit}
  `.execute(db);
  return rows;
}
