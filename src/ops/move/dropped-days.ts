/**
 * Drops day partitions of the copy that the source has dropped since a pass. Otherwise their rows would be detected by
 * their keys and deleted one by one.
 *
 * Drops only days that the source had at that pass: all of its rows of such a day were in that partition and were
 * dropped with it. Newer rows of that day are in the default partition and count as written since. A day that only the
 * copy has may contain rows that the source keeps in its default partition.
 */
import type { CopyClient } from '../../platform/db/copy/client.ts';
import { fullName, type OutlinedTable } from '../../platform/db/copy/outline.ts';
import { changedDigest, NO_ROWS, type TableDigest } from '../../platform/db/copy/row-digest.ts';
import { digestTable, relation } from '../../platform/db/copy/rows.ts';

/** Names of the day partitions of each table, by its full name. */
export type Days = ReadonlyMap<string, readonly string[]>;

export const getDays = (tables: readonly OutlinedTable[]): Days =>
  new Map(tables.map((table) => [fullName(table), table.partitions.map(({ name }) => name)]));

/**
 * @param tables the source's current tables. @param before its days at the last pass
 * @param digests the digest of each table in the copy
 * @returns the digest of each table afterwards, and the number of dropped rows
 */
export async function dropDays(
  target: CopyClient,
  tables: readonly OutlinedTable[],
  before: Days,
  digests: ReadonlyMap<string, TableDigest>,
): Promise<{ digests: Map<string, TableDigest>; dropped: number }> {
  const result = new Map(digests);
  const now = getDays(tables);
  let dropped = 0;
  for (const table of tables) {
    const name = fullName(table);
    const kept = new Set(now.get(name));
    for (const day of before.get(name)?.filter((one) => !kept.has(one)) ?? []) {
      const partition = { ...table, name: day };
      const gone = await digestTable(target, partition);
      await target.query(`drop table ${relation(partition)}`);
      result.set(name, changedDigest(result.get(name)!, gone, NO_ROWS));
      dropped += gone.rows;
    }
  }
  return { digests: result, dropped };
}
