/** Computes sums of the keys of tables, so that two databases can be compared without transferring their rows. */
import pg from 'pg';
import type { CopyClient } from '../../platform/db/copy/client.ts';
import { fullName } from '../../platform/db/copy/outline.ts';
import { relation } from '../../platform/db/copy/rows.ts';
import { isSince, type KeyedTable, keyHash } from './keyed-tables.ts';

/** Number of rows and the sum of their key hashes. */
interface Keys {
  rows: number;
  sum: string;
}

export interface Surveyed {
  all: Keys;
  /** Rows that were not written since. */
  kept: Keys;
}

export const sameKeys = (one: Keys, other: Keys): boolean => one.rows === other.rows && one.sum === other.sum;

/** @param since null if no row counts as written since. @returns the result by full table name */
export async function survey(
  client: CopyClient,
  tables: readonly KeyedTable[],
  since: string | null,
): Promise<Map<string, Surveyed>> {
  if (!tables.length) return new Map();
  const one = (table: KeyedTable): string => `
    select ${pg.escapeLiteral(fullName(table))} as name, count(*)::float8 as rows, coalesce(sum(hash), 0)::text as sum,
      count(*) filter (where kept)::float8 as kept_rows, coalesce(sum(hash) filter (where kept), 0)::text as kept_sum
    from (select ${keyHash(table)} as hash, ${since === null ? 'true' : `not ${isSince(since)}`} as kept
          from ${relation(table)}) t`;
  const { rows } = await client.query<{
    name: string;
    rows: number;
    sum: string;
    kept_rows: number;
    kept_sum: string;
  }>(tables.map(one).join(' union all '));
  return new Map(
    rows.map((row) => [
      row.name,
      { all: { rows: row.rows, sum: row.sum }, kept: { rows: row.kept_rows, sum: row.kept_sum } },
    ]),
  );
}

const ROWS_A_BUCKET = 64;
const MAX_BUCKETS = 2 ** 16;

/** Returns SQL for the bucket of a row's key. @param rows approximate number of rows */
export function getBucket(table: KeyedTable, rows: number): string {
  const wanted = Math.min(MAX_BUCKETS, Math.max(1, rows / ROWS_A_BUCKET));
  return `(${keyHash(table)} & ${2 ** Math.ceil(Math.log2(wanted)) - 1})`;
}

/** @param where SQL condition that selects the rows. @returns row count and sum of each bucket that is not empty */
export async function surveyBuckets(
  client: CopyClient,
  table: KeyedTable,
  bucket: string,
  where: string,
): Promise<Map<string, Keys>> {
  const { rows } = await client.query<Keys & { bucket: string }>(
    `select ${bucket}::text as bucket, count(*)::float8 as rows, sum(${keyHash(table)})::text as sum
     from ${relation(table)} where ${where} group by 1`,
  );
  return new Map(rows.map((row) => [row.bucket, { rows: row.rows, sum: row.sum }]));
}
