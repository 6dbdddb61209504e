/**
 * Updates a copy to the current state of its source. Rows written since a moment are read again; deleted rows are found
 * by comparing sums of key hashes, so that neither side is read whole.
 *
 *   1. rows written since are staged next to the copy, and their old versions deleted
 *   2. rows of the copy that are missing from the rest of the source are deleted
 *   3. staged rows are inserted, once everything that could conflict is deleted
 *   4. rows and keys of both are compared
 */
import type { CopyClient } from '../../platform/db/copy/client.ts';
import { assertSame, CopyError } from '../../platform/db/copy/fill.ts';
import { fullName } from '../../platform/db/copy/outline.ts';
import {
  changedDigest,
  createRowDigest,
  NO_ROWS,
  type TableDigest,
} from '../../platform/db/copy/row-digest.ts';
import {
  columnList,
  type CopiedTable,
  getDigest,
  readRows,
  relation,
  writeRows,
} from '../../platform/db/copy/rows.ts';
import { isSince, type KeyedTable } from './keyed-tables.ts';
import { getBucket, sameKeys, survey, surveyBuckets, type Surveyed } from './survey.ts';

export interface Copies {
  /** The source's connection, in a snapshot. */
  reader: CopyClient;
  /** The target's connection, in a transaction. */
  target: CopyClient;
}

interface Staged {
  staging: CopiedTable;
  /** Digest of the rows to insert. */
  come: TableDigest;
  /** Digest of the deleted rows. */
  gone: TableDigest;
}

const joined = ({ key }: KeyedTable): string => {
  const each = key.map((column) => columnList({ columns: [column] }));
  return each.map((column) => `t.${column} = s.${column}`).join(' and ');
};

/** Creates a temporary table with the same columns for this transaction. */
async function makeStaging(target: CopyClient, table: CopiedTable, name: string): Promise<CopiedTable> {
  await target.query(
    `create temporary table ${name} on commit drop as select ${columnList(table)} from ${relation(table)} with no data`,
  );
  return { schema: 'pg_temp', name, columns: table.columns };
}

const dropStaging = async (target: CopyClient, staging: CopiedTable): Promise<void> =>
  void (await target.query(`drop table ${relation(staging)}`));

async function stage(
  { reader, target }: Copies,
  table: KeyedTable,
  since: string,
  name: string,
): Promise<Staged> {
  const staging = await makeStaging(target, table, name);
  const digest = createRowDigest();
  await writeRows(target, staging, readRows(reader, table, digest, isSince(since)));
  await target.query(`analyze ${relation(staging)}`);
  const gone = await getDigest(
    target,
    `delete from ${relation(table)} t using ${relation(staging)} s where ${joined(table)} returning ${columnList(table, 't')}`,
  );
  return { staging, come: digest.end(), gone };
}

async function insertStaged(
  target: CopyClient,
  table: KeyedTable,
  { staging, come }: Staged,
): Promise<TableDigest> {
  const columns = columnList(table);
  const inserted = await getDigest(
    target,
    `insert into ${relation(table)} (${columns}) overriding system value
     select ${columns} from ${relation(staging)} returning ${columns}`,
  );
  assertSame(table, inserted, come);
  await dropStaging(target, staging);
  return inserted;
}

/** @returns the digest of the deleted rows */
async function deleteGone({ reader, target }: Copies, table: KeyedTable, since: string, rows: number) {
  const bucket = getBucket(table, rows);
  const isKept = `not ${isSince(since)}`;
  const kept = await surveyBuckets(reader, table, bucket, isKept);
  const copied = await surveyBuckets(target, table, bucket, 'true');
  const other = [...copied].filter(([at, keys]) => !kept.has(at) || !sameKeys(keys, kept.get(at)!));
  const among = `${bucket} = any ('{${other.map(([at]) => at).join(',')}}'::bigint[])`;
  const keys: CopiedTable = { ...table, columns: table.key };
  const staging = await makeStaging(target, keys, 'kept_keys');
  const ignored = { add: () => undefined };
  await writeRows(target, staging, readRows(reader, keys, ignored, `${isKept} and ${among}`));
  await target.query(`analyze ${relation(staging)}`);
  const gone = await getDigest(
    target,
    `delete from ${relation(table)} t where ${among}
       and not exists (select from ${relation(staging)} s where ${joined(table)}) returning ${columnList(table, 't')}`,
  );
  await dropStaging(target, staging);
  return gone;
}

async function assertKeys(
  target: CopyClient,
  tables: readonly KeyedTable[],
  expected: Map<string, Surveyed>,
): Promise<void> {
  const found = await survey(target, tables, null);
  for (const [name, { all }] of found)
    if (!sameKeys(all, expected.get(name)!.all))
      throw new CopyError(
        `${name} differs after the copy: ${all.rows} rows, expected ${expected.get(name)!.all.rows}, or different values.`,
      );
}

/**
 * @param since the time of the copy (keyed-tables.ts). @param digests the digest of each table in the copy
 * @returns the new digest of each table, and the number of rows inserted or deleted
 * @throws CopyError if the copy differs from its source afterwards
 */
export async function applyChanges(
  copies: Copies,
  tables: readonly KeyedTable[],
  since: string,
  digests: ReadonlyMap<string, TableDigest>,
): Promise<{ digests: Map<string, TableDigest>; changed: number }> {
  const { reader, target } = copies;
  const now = await survey(reader, tables, since);
  const staged = new Map<string, Staged>();
  for (const [at, table] of tables.entries()) {
    const { all, kept } = now.get(fullName(table))!;
    if (all.rows > kept.rows)
      staged.set(fullName(table), await stage(copies, table, since, `changed_rows_${at}`));
  }
  const copied = await survey(target, tables, null);
  const result = new Map(digests);
  const touched: KeyedTable[] = [];
  let changed = 0;
  for (const table of tables) {
    const name = fullName(table);
    const { all } = copied.get(name)!;
    const rows = staged.get(name);
    const isSurplus = !sameKeys(all, now.get(name)!.kept);
    if (!rows && !isSurplus) continue;
    touched.push(table);
    const gone = isSurplus ? await deleteGone(copies, table, since, all.rows) : NO_ROWS;
    const come = rows ? await insertStaged(target, table, rows) : NO_ROWS;
    const before = changedDigest(result.get(name)!, rows?.gone ?? NO_ROWS, NO_ROWS);
    result.set(name, changedDigest(before, gone, come));
    changed += gone.rows + come.rows;
  }
  await assertKeys(target, touched, now);
  return { digests: result, changed };
}
