/**
 * Reseals everything with the first secret of a box that can also open values of the previous one. Processes each place
 * in key order, in batches, until nothing is sealed with another key. Values that are already resealed are skipped, so
 * it may be interrupted at any point and started again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { count } from '../command/command.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/db/database.ts';
import { countByKey, isThere, lockOthers, replaceValues, type SealedRow } from './reseal.system-store.ts';
import type { Row, SealedColumn } from '../../core/sealed-column.ts';

const BATCH = 200;
/** Rows that a server has locked are skipped and processed in the next pass. */
const MAX_PASSES = 100;
const BETWEEN_PASSES_MS = 200;
const TELL_EVERY_MS = 2_000;

/** A value that none of the secrets opens. */
export interface Unopened {
  table: string;
  column: string;
  row: Row;
}

export interface Resealed {
  values: number;
  /** Number of values that were left unchanged, and the first of them. */
  unopened: number;
  examples: Unopened[];
}

const MAX_EXAMPLES = 10;
const nothing = (): Resealed => ({ values: 0, unopened: 0, examples: [] });

/** Adds to `sum` in place. */
function add(sum: Resealed, { values, unopened, examples }: Resealed): void {
  sum.values += values;
  sum.unopened += unopened;
  sum.examples = [...sum.examples, ...examples].slice(0, MAX_EXAMPLES);
}

export interface ResealDeps {
  db: Database;
  box: SecretBox;
  columns: readonly SealedColumn[];
  /** Receives progress as lines of text. */
  report(line: string): void;
}

/** Returns the columns whose tables exist. */
export async function findExistingColumns(
  db: Database,
  columns: readonly SealedColumn[],
): Promise<SealedColumn[]> {
  const there = await Promise.all(columns.map((column) => isThere(db, column)));
  return columns.filter((_column, at) => there[at]);
}

/** Counts the values of a place that are not sealed with the box's first secret. */
async function countOthers({ db, box }: ResealDeps, column: SealedColumn): Promise<number> {
  const counts = await countByKey(db, column);
  counts.delete(box.keyIds[0]);
  return [...counts.values()].reduce((sum, number) => sum + number, 0);
}

/** Reseals a batch in one transaction. @returns null if there is nothing left after `after` */
function resealBatch({ db, box }: ResealDeps, place: SealedColumn, after: Row | null) {
  return db.transaction().execute(async (tx) => {
    const rows = await lockOthers(tx, place, box.keyIds[0], after, BATCH);
    const done = nothing();
    const anew = (sealed: string | null, at: number, row: Row): string | null => {
      if (sealed === null || sealed.startsWith(`v1.${box.keyIds[0]}.`)) return null;
      const { column, context } = place.values[at]!;
      let plain: string;
      try {
        plain = box.open(sealed, context(row));
      } catch {
        add(done, { values: 0, unopened: 1, examples: [{ table: place.table, column, row }] });
        return null;
      }
      done.values += 1;
      return box.seal(plain, context(row));
    };
    const changed: SealedRow[] = rows
      .map(({ row, values: sealed }) => ({ row, values: sealed.map((value, at) => anew(value, at, row)) }))
      .filter(({ values: made }) => made.some((value) => value !== null));
    if (changed.length) await replaceValues(tx, place, changed);
    return rows.length ? { last: rows.at(-1)!.row, done } : null;
  });
}

async function resealPlace(deps: ResealDeps, column: SealedColumn): Promise<Resealed> {
  const result = nothing();
  let toldAt = performance.now();
  let after: Row | null = null;
  for (;;) {
    const batch: Awaited<ReturnType<typeof resealBatch>> = await resealBatch(deps, column, after);
    if (!batch) break;
    after = batch.last;
    add(result, batch.done);
    if (performance.now() - toldAt < TELL_EVERY_MS) continue;
    toldAt = performance.now();
    deps.report(`${column.table}: ${count(result.values, 'value')} re-encrypted so far …`);
  }
  if (result.values) deps.report(`${column.table}: ${count(result.values, 'value')} re-encrypted.`);
  return result;
}

/**
 * Reseals everything and verifies it by counting: at the end, all values except the unopened ones are sealed with the
 * box's first secret.
 * @throws Error if servers keep rows locked through all passes
 */
export async function resealAll(deps: ResealDeps): Promise<Resealed> {
  const columns = await findExistingColumns(deps.db, deps.columns);
  let values = 0;
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    if (pass > 1) await delay(BETWEEN_PASSES_MS);
    const done = nothing();
    for (const column of columns)
      if ((await countOthers(deps, column)) > 0) add(done, await resealPlace(deps, column));
    values += done.values;
    let left = 0;
    for (const column of columns) left += await countOthers(deps, column);
    if (left === done.unopened) return { ...done, values };
  }
  throw new Error(
    'Servers kept some values locked, or still encrypt with another secret. Run the command again.',
  );
}
