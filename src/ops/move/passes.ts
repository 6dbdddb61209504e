/**
 * The passes of a move, all in one transaction of the target. Each pass reads through its own connection, which is
 * closed afterwards: a connection with a half-read table can't run another query, and the source must be made writable
 * again if a pass fails.
 */
import { isLockTimeout, isSerializationFailure, type PoolOptions } from '../../platform/db/database.ts';
import { type CopyClient, inSnapshot, openCopyClient } from '../../platform/db/copy/client.ts';
import {
  assertSame,
  CopyError,
  fillTables,
  makePartitions,
  type RowSource,
  setCounters,
  type ReportProgress,
} from '../../platform/db/copy/fill.ts';
import {
  type DatabaseOutline,
  fullName,
  type OutlinedTable,
  getOutline,
} from '../../platform/db/copy/outline.ts';
import { createRowDigest, type RowDigest, type TableDigest } from '../../platform/db/copy/row-digest.ts';
import { digestTable, readRows, relation, writeRows } from '../../platform/db/copy/rows.ts';
import { endOtherSessions } from '../../platform/db/copy/freeze.ts';
import { applyChanges } from './changes.ts';
import { type Days, getDays, dropDays } from './dropped-days.ts';
import { type KeyedTable, keyedTables, toTime } from './keyed-tables.ts';

/** The state of the target: the tables without foreign keys and triggers, as of one snapshot. */
export interface Copied {
  migrations: string[];
  jobs: number | null;
  since: string;
  days: Days;
  digests: Map<string, TableDigest>;
  /** Number of rows that this pass wrote or deleted. */
  changed: number;
}

/** Reads the rows of a database and digests them. */
function toRows(client: CopyClient): RowSource {
  const digests = new Map<string, RowDigest>();
  return {
    rows(table) {
      const digest = createRowDigest();
      digests.set(fullName(table), digest);
      return readRows(client, table, digest);
    },
    digest: (table) => digests.get(fullName(table))!.end(),
  };
}

/**
 * Runs `work` with a reader that is closed together with the target's connection, because nobody needs its result
 * afterwards.
 */
async function reading<T>(
  connection: PoolOptions,
  target: CopyClient,
  work: (reader: CopyClient) => Promise<T>,
): Promise<T> {
  const reader = await openCopyClient(connection);
  const end = (): void => void reader.end();
  target.once('end', end);
  try {
    return await work(reader);
  } finally {
    target.off('end', end);
    await reader.end(); // a reader writes nothing, so there is nothing to roll back
  }
}

/** @param work also receives the time of the snapshot (keyed-tables.ts) */
const inReadersSnapshot = <T>(
  connection: PoolOptions,
  target: CopyClient,
  work: (reader: CopyClient, since: string) => Promise<T>,
): Promise<T> =>
  reading(connection, target, async (reader) => {
    const since = await toTime(reader);
    return await inSnapshot(reader, async () => {
      try {
        return await work(reader, since);
      } catch (error) {
        await reader.end(); // a table may be half read
        throw error;
      }
    });
  });

const isFree = ({ bound }: KeyedTable): boolean => !bound;

/** Copies all rows of one snapshot and reads them back while the source serves. */
export const firstPass = (
  connection: PoolOptions,
  target: CopyClient,
  report?: ReportProgress,
): Promise<Copied> =>
  inReadersSnapshot(connection, target, async (reader, since) => {
    const outline = await getOutline(reader);
    const tables = (await keyedTables(reader, outline)).filter(isFree);
    const digests = await fillTables(target, { ...outline, tables }, toRows(reader), report);
    const changed = [...digests.values()].reduce((sum, { rows }) => sum + rows, 0);
    const { migrations, jobs } = outline;
    return { migrations, jobs, since, days: getDays(tables), digests, changed };
  });

/** Applies the changes since a pass to the target. The reader is in a snapshot. */
async function bringUp(reader: CopyClient, target: CopyClient, outline: DatabaseOutline, last: Copied) {
  const tables = await keyedTables(reader, outline);
  const free = tables.filter(isFree);
  if (
    outline.migrations.join() !== last.migrations.join() ||
    outline.jobs !== last.jobs ||
    free.map(fullName).sort().join() !== [...last.digests.keys()].sort().join()
  )
    throw new CopyError('The schema was changed while rows were copied. Run the command again.');
  const { digests, dropped } = await dropDays(target, free, last.days, last.digests);
  await makePartitions(target, free, await getOutline(target));
  const applied = await applyChanges({ reader, target }, free, last.since, digests);
  return { tables, digests: applied.digests, changed: dropped + applied.changed };
}

/** Copies the changes since the last pass while the source serves. */
export const nextPass = (connection: PoolOptions, target: CopyClient, last: Copied): Promise<Copied> =>
  inReadersSnapshot(connection, target, async (reader, since) => {
    const outline = await getOutline(reader);
    const { tables, digests, changed } = await bringUp(reader, target, outline, last);
    const { migrations, jobs } = outline;
    return { migrations, jobs, since, days: getDays(tables), digests, changed };
  });

/** @throws CopyError if a table does not match the digest that was computed from its changes */
async function compareAll(
  reader: CopyClient,
  target: CopyClient,
  tables: readonly KeyedTable[],
  digests: ReadonlyMap<string, TableDigest>,
): Promise<void> {
  for (const table of tables) {
    const expected = await digestTable(reader, table);
    assertSame(table, await digestTable(target, table), expected);
    assertSame(table, digests.get(fullName(table))!, expected);
  }
}

/** Maximum wait for a session that was not terminated with the others; after that the source becomes writable again. */
const LOCK_MS = 30_000;

/**
 * Blocks writes to all tables until the reader's transaction ends. A session that began during the freeze may still
 * write, and may lock tables in another order: it finishes first, and the locks are taken again.
 * @throws CopyError if the database is writable, or a transaction in it does not end
 */
export async function lockAll(reader: CopyClient, tables: readonly OutlinedTable[]): Promise<void> {
  const { rows } = await reader.query<{ setting: string }>('show default_transaction_read_only');
  if (Object.values(rows[0]!)[0] !== 'on')
    throw new CopyError(
      'The old database could not be made read-only: it was made writable again, or default_transaction_read_only is set for the role.',
    );
  const names = tables.map((table) => relation(table)).join(', ');
  const until = performance.now() + LOCK_MS;
  for (let isLocked = false; !isLocked;) {
    await reader.query('begin transaction isolation level repeatable read read write'); // a read-only transaction can't take such locks
    await reader.query(`set local lock_timeout = ${LOCK_MS}`);
    try {
      await reader.query(`lock table ${names} in share mode`);
      isLocked = true;
    } catch (error) {
      const isDeadlock = isSerializationFailure(error);
      if (!isDeadlock && !isLockTimeout(error)) throw error;
      if (!isDeadlock || performance.now() > until)
        throw new CopyError(
          'A transaction on the old database does not end. It is a prepared transaction, or belongs to another program.',
        );
      await reader.query('rollback');
    }
  }
  await reader.query('set local lock_timeout = 0');
}

/**
 * Completes the copy of a frozen source. Locks keep anyone from writing to it until the copy is complete.
 * @param source the connection that froze the database (db/freeze.ts). @param connection connects to the same database
 * @param thoroughly whether to read both sides completely and compare them
 * @returns the digest of each table, which is the same on both sides
 */
export const lastPass = (
  source: CopyClient,
  connection: PoolOptions,
  target: CopyClient,
  last: Copied,
  thoroughly: boolean,
): Promise<Map<string, TableDigest>> =>
  reading(connection, target, async (reader) => {
    // A session that was not terminated may still write: the locks wait for it and then block it.
    await lockAll(reader, (await getOutline(source)).tables);
    const { rows } = await reader.query<{ pid: number }>('select pg_backend_pid() as pid');
    const outline = await getOutline(reader);
    const { tables, digests } = await bringUp(reader, target, outline, last);
    const whole = toRows(reader);
    for (const table of tables.filter(({ bound }) => bound)) {
      await writeRows(target, table, whole.rows(table));
      const digest = await digestTable(target, table);
      assertSame(table, digest, whole.digest(table));
      digests.set(fullName(table), digest);
    }
    await setCounters(target, outline);
    if (thoroughly) await compareAll(reader, target, tables, digests);
    await endOtherSessions(source, rows[0]!.pid);
    return digests;
  });
