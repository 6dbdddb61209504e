/** Deletes many rows in small transactions, so that none of them blocks others for long. */
import { sql } from 'kysely';
import type { Db } from './database.ts';

/**
 * @param remove deletes at most `batch` rows and returns their number. Ends when there are fewer, or early by `signal`.
 * @returns the total
 */
export async function inBatches(
  batch: number,
  remove: (max: number) => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await remove(batch);
    total += removed;
    if (removed < batch || signal?.aborted) return total;
  }
}

/** Deletes rows whose `column` is before a time, across workspaces. @returns number of deleted rows, at most `max` */
export async function deleteBefore(
  db: Db,
  table: string,
  column: string,
  before: Date,
  max: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ctid = any (array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} < ${before} limit ${max} for update skip locked
    ))
  `.execute(db);
  return Number(numAffectedRows);
}
