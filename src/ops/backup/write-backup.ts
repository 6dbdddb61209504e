/**
 * Writes a backup file while the installation serves. The order makes the backup consistent:
 *
 *   1. media contents are held (media-hold.ts), and click journals opened (journal-snapshot.ts)
 *   2. the snapshot: all tables, and the list of contents
 *   3. the journals are listed again and read, then the media contents
 *
 * A failed or aborted backup leaves nothing behind. No other file is changed.
 */
import packageJson from '../../../package.json' with { type: 'json' };
import type { RootSecrets } from '../../platform/crypto/root-secret.ts';
import { fingerprint } from '../../platform/crypto/secret-box.ts';
import { type CopyClient, databaseOn, inSnapshot, openCopyClient } from '../../platform/db/copy/client.ts';
import { type DatabaseOutline, fullName, getOutline } from '../../platform/db/copy/outline.ts';
import { createRowDigest } from '../../platform/db/copy/row-digest.ts';
import { readRows } from '../../platform/db/copy/rows.ts';
import type { PoolOptions } from '../../platform/db/database.ts';
import { getKey, type MediaFiles } from '../../surfaces/messaging/media/media-files.ts';
import { type ArchiveWriter, createArchiveWriter } from './archive-writer.ts';
import * as format from './format.ts';
import { assertOwnJournals } from '../../platform/journal/journal-database.ts';
import { journalsFolder } from '../../surfaces/links/clicks/click-journal.ts';
import { type JournalSnapshot, holdJournals } from './journal-snapshot.ts';
import { type MediaHold, holdMedia } from './media-hold.ts';
import { listMedia, type MediaList } from './media-list.ts';
import { openOutput, type OutputOptions } from './output.ts';

export interface BackupOptions extends OutputOptions {
  /** Connects to the database directly, not through a transaction pooler. */
  connection: PoolOptions;
  /** Path of the backup file. */
  file: string;
  /** Null leaves out media contents; their database rows are still included. */
  media: MediaFiles | null;
  /** DATA_DIR, which contains the click journals; null leaves them out. */
  journals: string | null;
  secrets: RootSecrets;
  /** Includes the secrets themselves in the file. */
  withSecret?: boolean;
  report?: (progress: BackupProgress) => void;
  signal?: AbortSignal;
  clock?: () => Date;
}

export type BackupProgress =
  | { kind: 'waiting' }
  | { kind: 'table'; table: string; done: number; of: number; bytes: number }
  | { kind: 'clicks'; segments: number; bytes: number }
  | { kind: 'media'; files: number; bytes: number };

export interface BackupSummary {
  file: string;
  /** The contents are from this time or slightly later. */
  at: Date;
  /** Size of the file. */
  bytes: number;
  tables: { name: string; rows: number; checksum: string }[];
  clicks: { segments: number; bytes: number };
  media: { files: number; bytes: number };
  /** Names of contents that rows refer to but that are missing or don't match their hash. They are not in the file. */
  missing: string[];
}

interface Writing {
  options: BackupOptions;
  archive: ArchiveWriter;
  /** Returns the number of bytes written so far. */
  bytes: () => number;
}

async function writeTables(client: CopyClient, outline: DatabaseOutline, writing: Writing) {
  const { archive, options, bytes } = writing;
  const tables: format.BackupManifest['tables'] = [];
  for (const [at, table] of outline.tables.entries()) {
    const name = fullName(table);
    const digest = createRowDigest();
    const rows = readRows(client, table, digest);
    const size = await archive.addPieces((piece) => format.rowsName(name, piece), stoppable(rows, options));
    tables.push({ name, ...digest.end(), bytes: size });
    options.report?.({ kind: 'table', table: name, done: at + 1, of: outline.tables.length, bytes: bytes() });
  }
  return tables;
}

async function* stoppable<T>(items: AsyncIterable<T>, { signal }: BackupOptions): AsyncGenerator<T> {
  for await (const item of items) {
    signal?.throwIfAborted();
    yield item;
  }
}

async function writeClicks(journals: JournalSnapshot | null, { archive, options, bytes }: Writing) {
  const sum = { segments: 0, bytes: 0 };
  for (const { journal, segment, read } of journals?.segments() ?? []) {
    const getName = (piece: number): string => format.clicksName(journal, segment, piece);
    sum.bytes += await archive.addPieces(getName, stoppable(read(), options));
    sum.segments += 1;
    options.report?.({ kind: 'clicks', segments: sum.segments, bytes: bytes() });
  }
  return sum;
}

/** @returns the keys of contents that are missing or damaged */
async function writeMedia(files: MediaFiles, list: MediaList, { archive, options, bytes }: Writing) {
  const missing: string[] = [];
  for await (const { workspaceId, sha256, size } of stoppable(list.contents(), options)) {
    const key = getKey(workspaceId, sha256);
    const content = await files.read(workspaceId, Buffer.from(sha256, 'hex'), { start: 0, length: size });
    try {
      if (content === null || !(await archive.addMedia(key, size, content))) missing.push(key);
    } finally {
      await content?.close();
    }
    options.report?.({ kind: 'media', files: archive.media().files, bytes: bytes() });
  }
  return missing;
}

const toHeader = (outline: DatabaseOutline, made: Date, options: BackupOptions): format.BackupHeader => ({
  format: format.FORMAT,
  version: format.VERSION,
  program: packageJson.version,
  made_at: made.toISOString(),
  postgresql: outline.server,
  migrations: outline.migrations,
  secrets: [options.secrets.current, ...options.secrets.further].map((secret) => fingerprint(secret)),
  contains: {
    clicks: options.journals !== null,
    media: options.media !== null,
    secret: options.withSecret === true,
  },
});

/**
 * Writes the rows of all tables and lists the media contents that they refer to, in one snapshot.
 * @param journals listed again as soon as the snapshot is taken
 */
async function writeDatabase(made: Date, writing: Writing, journals: JournalSnapshot | null) {
  const { archive, options } = writing;
  const client = await openCopyClient(options.connection);
  const stop = (): void => void client.end();
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    return await inSnapshot(client, async () => {
      try {
        await journals?.check();
        if (options.journals !== null)
          await assertOwnJournals(databaseOn(client), journalsFolder(options.journals), 'clicks');
        const outline = await getOutline(client);
        await archive.add(format.HEADER, format.toJson(toHeader(outline, made, options)));
        const tables = await writeTables(client, outline, writing);
        return { outline, tables, list: options.media && (await listMedia(client, options.file)) };
      } catch (error) {
        await client.end(); // a table may be half read, so this connection can't run another query
        throw error;
      }
    });
  } finally {
    options.signal?.removeEventListener('abort', stop);
    await client.end();
  }
}

async function close(writing: Writing, manifest: format.BackupManifest): Promise<void> {
  const { archive, options } = writing;
  const bytes = format.toJson(manifest);
  await archive.addUnlisted(format.MANIFEST, bytes);
  await archive.addUnlisted(format.SEAL, format.toJson(format.getSeal(bytes, options.secrets.current)));
  await archive.end();
}

/**
 * @throws BackupError if the file can't be written; ForeignJournalsError; errors of the database, the media store or
 * `signal`. No file is left then.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupSummary> {
  const { connection, secrets, signal, report, clock = () => new Date() } = options;
  const output = await openOutput(options.file, options);
  const made = clock();
  const writing: Writing = {
    options,
    archive: createArchiveWriter(output, made),
    bytes: () => output.position,
  };
  let heldMedia: MediaHold | null = null;
  let journals: JournalSnapshot | null = null;
  let list: MediaList | null = null;
  try {
    const onWait = (): void => report?.({ kind: 'waiting' });
    if (options.media) heldMedia = await holdMedia(connection, { signal, onWait });
    if (options.journals !== null) journals = holdJournals(options.journals);
    await journals?.check();
    const database = await writeDatabase(made, writing, journals);
    list = database.list;
    const clicks = await writeClicks(journals, writing);
    const missing = list && options.media ? await writeMedia(options.media, list, writing) : [];
    await heldMedia?.assertHeld();
    if (options.withSecret) {
      const lines = [secrets.current, ...secrets.further].map((secret) => `${secret}\n`);
      await writing.archive.add(format.SECRET, Buffer.from(lines.join('')));
    }
    const { outline, tables } = database;
    const media = writing.archive.media();
    await close(writing, { entries: writing.archive.entries, media, tables, clicks, outline });
    signal?.throwIfAborted();
    await output.finish();
    return { file: options.file, at: made, bytes: output.position, tables, clicks, media, missing };
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    await output.discard();
    await list?.close();
    await journals?.release();
    await heldMedia?.release();
  }
}
