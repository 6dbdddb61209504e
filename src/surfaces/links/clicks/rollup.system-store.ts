/** Writes rows of `click_rollups`, across workspaces. Writers lock rows in key order. */
import { type RawBuilder, sql } from 'kysely';
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import type { Tx } from '../../../platform/db/database.ts';
import type { LoadPace } from './load-pace.ts';
import { SEPARATOR } from './load-row.ts';
import { type RollupAdditions, type RollupKey, type RollupRow, type RollupSums, addTo } from './rollup.ts';

/** Another loader inserted a missing row first: the transaction must be retried. */
export class RollupConflict extends Error {
  override name = 'RollupConflict';
}

function joined<R extends RollupKey>(rows: readonly R[], field: keyof R): string {
  return rows.map((row) => row[field]).join(',');
}
/** Cached because the rows of a batch span few hours. */
let lastTime: [time: number, text: string] = [0, ''];
function toTimestamp(bucket: number): string {
  if (lastTime[0] !== bucket) lastTime = [bucket, new Date(bucket).toISOString()];
  return lastTime[1];
}
const toTimestamps = (rows: readonly RollupKey[]): string =>
  rows.map(({ bucket }) => toTimestamp(bucket)).join(',');

/** Separates rows in a result that is returned as one text: as rows of the driver they cost several times as much. */
const ROW_SEPARATOR = '\u001e';

/** Locks and reads existing rows. @returns rows by index in `keys` */
async function lockRows(tx: Tx, keys: readonly RollupKey[]): Promise<Map<number, RollupSums>> {
  const { rows } = await sql<{ all: string | null }>`
    select string_agg(concat_ws(${SEPARATOR}, n, clicks, bots, uniques, coalesce(quarters::text, ''), dimensions), ${ROW_SEPARATOR}) as all
    from (
      select k.n, r.clicks, r.bots, r.uniques, r.quarters, r.dimensions
      from unnest(
        string_to_array(${joined(keys, 'workspace_id')}, ',')::uuid[],
        string_to_array(${joined(keys, 'scope_id')}, ',')::uuid[],
        string_to_array(${joined(keys, 'resolution')}, ',')::"char"[],
        string_to_array(${toTimestamps(keys)}, ',')::timestamptz[]
      ) with ordinality k (workspace_id, scope_id, resolution, bucket, n)
      join click_rollups r using (workspace_id, scope_id, resolution, bucket)
      order by r.workspace_id, r.scope_id, r.resolution, r.bucket
      for update of r
    ) r
  `.execute(tx);
  const all = rows[0]!.all;
  const found = new Map<number, RollupSums>();
  for (const row of all === null ? [] : all.split(ROW_SEPARATOR)) {
    const [n, clicks, bots, uniques, quarters, dimensions] = row.split(SEPARATOR) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    found.set(Number(n) - 1, {
      clicks: Number(clicks),
      bots: Number(bots),
      uniques: Number(uniques),
      quarters: quarters === '' ? null : quarters.slice(1, -1).split(',').map(Number),
      dimensions: parseOwnJson<RollupSums['dimensions']>(dimensions),
    });
  }
  return found;
}

/** Joins JSON texts. JSON never contains the separator, a control character. */
const joinTexts = (values: readonly string[]): string => values.join(SEPARATOR);

/** Builds a table `r` of the rows, in their order. */
function asTable(rows: readonly RollupRow[]): RawBuilder<unknown> {
  const numbers = (name: 'clicks' | 'bots' | 'uniques') =>
    sql`string_to_array(${joined(rows, name)}, ',')::integer[]`;
  const quarters = joinTexts(rows.map((row) => (row.quarters ? `{${row.quarters.join(',')}}` : '')));
  const dimensions = joinTexts(rows.map((row) => JSON.stringify(row.dimensions)));
  return sql`(
    select k.workspace_id, k.scope_id, k.resolution, k.bucket, k.clicks, k.bots, k.uniques,
      nullif(k.quarters, '')::integer[] as quarters, k.dimensions
    from unnest(
      string_to_array(${joined(rows, 'workspace_id')}, ',')::uuid[],
      string_to_array(${joined(rows, 'scope_id')}, ',')::uuid[],
      string_to_array(${joined(rows, 'resolution')}, ',')::"char"[],
      string_to_array(${toTimestamps(rows)}, ',')::timestamptz[],
      ${numbers('clicks')}, ${numbers('bots')}, ${numbers('uniques')},
      string_to_array(${quarters}, ${SEPARATOR}), string_to_array(${dimensions}, ${SEPARATOR})::jsonb[]
    ) k (workspace_id, scope_id, resolution, bucket, clicks, bots, uniques, quarters, dimensions)
  ) r`;
}

async function insertRows(tx: Tx, rows: readonly RollupRow[], pace: LoadPace): Promise<void> {
  if (!rows.length) return;
  const table = pace.work(() => asTable(rows));
  const { numAffectedRows = 0n } = await sql`
    insert into click_rollups (workspace_id, scope_id, resolution, bucket, clicks, bots, uniques, quarters, dimensions)
    select workspace_id, scope_id, resolution, bucket, clicks, bots, uniques, quarters, dimensions from ${table}
    on conflict do nothing
  `.execute(tx);
  if (Number(numAffectedRows) < rows.length)
    throw new RollupConflict('another loader inserted a roll-up row concurrently');
}

async function updateRows(tx: Tx, rows: readonly RollupRow[], pace: LoadPace): Promise<void> {
  if (!rows.length) return;
  const table = pace.work(() => asTable(rows));
  await sql`
    update click_rollups c set clicks = r.clicks, bots = r.bots, uniques = r.uniques, quarters = r.quarters,
      dimensions = r.dimensions
    from ${table}
    where c.workspace_id = r.workspace_id and c.scope_id = r.scope_id and c.resolution = r.resolution
      and c.bucket = r.bucket
  `.execute(tx);
}

/** Rows per statement. The largest rows have some hundred kilobytes, and a text must stay below 500 MB. */
const MAX_ROWS = 500;

/**
 * Adds to existing rows and inserts missing ones.
 * @throws RollupConflict if the transaction must be retried
 */
export async function addRollups(tx: Tx, additions: RollupAdditions, pace: LoadPace): Promise<void> {
  const all = pace.work(() => additions.rows());
  const inserted: RollupRow[] = [];
  for (let from = 0; from < all.length; from += MAX_ROWS) {
    const part = all.slice(from, from + MAX_ROWS);
    const keys = part.map(({ addition }) => addition);
    const before = await lockRows(tx, keys);
    await pace.yieldToOthers();
    const updated: RollupRow[] = [];
    pace.work(() => {
      part.forEach(({ addition }, nth) => {
        const existing = before.get(nth);
        if (existing) updated.push(addTo(existing, addition));
        else inserted.push(addTo(null, addition));
      });
    });
    await updateRows(tx, updated, pace);
    await pace.yieldToOthers();
  }
  // After all locks: a transaction that waits for another's insert then only holds locks on earlier keys.
  for (let from = 0; from < inserted.length; from += MAX_ROWS)
    await insertRows(tx, inserted.slice(from, from + MAX_ROWS), pace);
}
