/** Fills an empty database from a backup, and detects whether that was already done. */
import { type CopyClient, inSnapshot, openCopyClient } from '../../platform/db/copy/client.ts';
import {
  assertUnused,
  CopyError,
  fillDatabase,
  type RowSource,
  type ReportProgress,
} from '../../platform/db/copy/fill.ts';
import { fullName, getOutline } from '../../platform/db/copy/outline.ts';
import { isSame, type TableDigest } from '../../platform/db/copy/row-digest.ts';
import { digestTable } from '../../platform/db/copy/rows.ts';
import { prepareTarget } from '../../platform/db/copy/target.ts';
import type { PoolOptions } from '../../platform/db/database.ts';
import type { Archive } from './archive.ts';

const rowsFrom = ({ rows, manifest }: Archive, signal?: AbortSignal): RowSource => ({
  async *rows(table) {
    for await (const bytes of rows(fullName(table))) {
      signal?.throwIfAborted();
      yield bytes;
    }
  },
  digest(table) {
    const { rows: number, checksum } = manifest.tables.find(({ name }) => name === fullName(table))!;
    return { rows: number, checksum };
  },
});

/** Returns the digests of the tables if the database equals the backup, otherwise null. */
async function sameAs(archive: Archive, client: CopyClient): Promise<Map<string, TableDigest> | null> {
  const { outline } = archive.manifest;
  const source = rowsFrom(archive);
  return await inSnapshot(client, async () => {
    if ((await getOutline(client)).migrations.join() !== outline.migrations.join()) return null;
    const found = new Map<string, TableDigest>();
    for (const table of outline.tables) {
      const digest = await digestTable(client, table);
      if (!isSame(digest, source.digest(table))) return null;
      found.set(fullName(table), digest);
    }
    return found;
  });
}

/**
 * Checks whether the database must still be filled.
 * @param isAgain whether an earlier restore was interrupted, perhaps just after it filled the database
 * @returns the digests of its tables if it was filled, or null if it is empty. @throws CopyError if it contains other
 * data
 */
export async function alreadyFilled(
  archive: Archive,
  connection: PoolOptions,
  isAgain: boolean,
): Promise<Map<string, TableDigest> | null> {
  const client = await openCopyClient(connection);
  try {
    await assertUnused(client);
    return null;
  } catch (error) {
    const same = isAgain && error instanceof CopyError ? await sameAs(archive, client) : null;
    if (same === null) throw error;
    return same;
  } finally {
    await client.end();
  }
}

/**
 * Writes all rows in one transaction.
 * @returns the digest of each table, as read back. @throws CopyError if one differs; an error of the connection if
 * `signal` aborts
 */
export async function fill(
  archive: Archive,
  connection: PoolOptions,
  { report, signal }: { report?: ReportProgress; signal?: AbortSignal },
): Promise<Map<string, TableDigest>> {
  const { outline } = archive.manifest;
  await prepareTarget(connection, outline);
  const client = await openCopyClient(connection);
  const stop = (): void => void client.end();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const source = rowsFrom(archive, signal);
    return await fillDatabase(client, outline, source, report);
  } finally {
    signal?.removeEventListener('abort', stop);
    await client.end();
  }
}
