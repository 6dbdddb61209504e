/** Rows of `click_rollups`, of many workspaces at once. Whoever writes locks in the order of keys. */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import type { LoadPace } from './load-pace.ts';
import { SEPARATOR } from './load-row.ts';
import { type RollupAdditions, type RollupKey, type RollupRow, type RollupSums, addTo } from './rollup.ts';

/** Another loader made a row first that was not there a moment ago: the transaction must be begun anew. */
export class RollupsMoved extends Error {
  override name = 'RollupsMoved';
}

function joined<R extends RollupKey>(rows: readonly R[], field: keyof R): string {
  return rows.map((row) => row[field]).join(',');
}
/** Rows of a batch are of few hours. */
let lastTime: [time: number, text: string] = [0, ''];
function timeOf(bucket: number): string {
  if (lastTime[0] !== bucket) lastTime = [bucket, new Date(bucket).toISOString()];
  return lastTime[1];
}
const timesOf = (rows: readonly RollupKey[]): string => rows.map(({ bucket }) => timeOf(bucket)).join(',');

/** Between the rows of an answer that is one text: as rows of the driver they cost several times as much. */
const ROW_SEPARATOR = '\u001e';

/** @returns by place in `keys`; those that are not there are left out */
async function lockRows(tx: Tx, keys: readonly RollupKey[]): Promise<Map<number, RollupSums>> {
  const { rows } = await sql<{ all: string | null }>`
    select string_agg(concat_ws(${SEPARATOR}, n, clicks, bots, uniques, coalesce(quarters::text, ''), dimensions), ${ROW_SEPARATOR}) as all
    from (
      select k.n, r.clicks, r.bots, r.uniques, r.quarters, r.dimensions
      from unnest(
        string_to_array(${joined(keys, 'workspace_id')}, ',')::uuid[],
        string_to_array(${joined(keys, 'scope_id')}, ',')::uuid[],
        string_to_array(${joined(keys, 'resolution')}, ',')::"char"[],
        string_to_array(${timesOf(keys)}, ',')::timestamptz[]
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
      dimensions: JSON.parse(dimensions) as RollupSums['dimensions'],
    });
  }
  return found;
}

/** JSON has no control characters, so that these stand between its texts. */
const between = (values: readonly string[]): string => values.join(SEPARATOR);

/** The rows as a table `r`, in their order. */
function asTable(rows: readonly RollupRow[]): RawBuilder<unknown> {
  const numbers = (name: 'clicks' | 'bots' | 'uniques') =>
    sql`string_to_array(${joined(rows, name)}, ',')::integer[]`;
  const quarters = between(rows.map((row) => (row.quarters ? `{${row.quarters.join(',')}}` : '')));
  const dimensions = between(rows.map((row) => JSON.stringify(row.dimensions)));
  return sql`(
    select k.workspace_id, k.scope_id, k.resolution, k.bucket, k.clicks, k.bots, k.uniques,
      nullif(k.quarters, '')::integer[] as quarters, k.dimensions
    from unnest(
      string_to_array(${joined(rows, 'workspace_id')}, ',')::uuid[],
      string_to_array(${joined(rows, 'scope_id')}, ',')::uuid[],
      string_to_array(${joined(rows, 'resolution')}, ',')::"char"[],
      string_to_array(${timesOf(rows)}, ',')::timestamptz[],
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
    throw new RollupsMoved('another loader has made a row meanwhile');
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

/** Rows that are read or written together. The largest hold some hundred kilobytes, and no text may have 500 MB. */
const ROWS_AT_ONCE = 500;

/**
 * Adds to the rows, and makes those that are not there.
 * @throws RollupsMoved where the transaction must be begun anew
 */
export async function addRollups(tx: Tx, additions: RollupAdditions, pace: LoadPace): Promise<void> {
  const all = pace.work(() => additions.rows());
  const fresh: RollupRow[] = [];
  for (let from = 0; from < all.length; from += ROWS_AT_ONCE) {
    const part = all.slice(from, from + ROWS_AT_ONCE);
    const keys = part.map(({ addition }) => addition);
    const before = await lockRows(tx, keys);
    await pace.breathe();
    const known: RollupRow[] = [];
    pace.work(() => {
      part.forEach(({ addition }, nth) => {
        const there = before.get(nth);
        if (there) known.push(addTo(there, addition));
        else fresh.push(addTo(null, addition));
      });
    });
    await updateRows(tx, known, pace);
    await pace.breathe();
  }
  // After all locks: who waits for a row that somebody else makes holds those of its order before only.
  for (let from = 0; from < fresh.length; from += ROWS_AT_ONCE)
    await insertRows(tx, fresh.slice(from, from + ROWS_AT_ONCE), pace);
}
