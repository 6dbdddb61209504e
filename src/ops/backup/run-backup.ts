/** `fairlead backup`: writes the whole installation to one file, whether or not the server is running. */
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { assertDatabaseNamed, findDatabase } from '../command/connect.ts';
import { rootSecrets } from '../../platform/crypto/root-secret.ts';
import { type Config, readConfig } from '../../platform/config/config.ts';
import { directConnection } from '../../platform/db/database.ts';
import { type FileSystem, reservedBytes } from '../../platform/config/reserve.ts';
import {
  count,
  humanBytes,
  humanTime,
  onlyFile,
  parse,
  performed,
  progressLine,
  type Terminal,
} from '../command/command.ts';
import { mediaStore } from './media-store.ts';
import { assertRestored } from './restoring.ts';
import { recordBackup } from './last-backup.ts';
import { type BackupProgress, type BackupSummary, writeBackup } from './write-backup.ts';

const HELP = `Usage: fairlead backup FILE [options]

Writes the database, clicks that are not loaded yet, and media files to one file. The server can be running or stopped.
The file contains only the fingerprint of the root secret: store secret.key, or FAIRLEAD_SECRET, separately.

  --with-secret      Includes the root secret. Anyone with the file can then read everything.
  --without-media    Excludes media files, for example if their bucket has its own backups.
  --force            Replaces FILE if it exists.

Uses the settings of the server (fairlead --help): DATABASE_URL, or DATA_DIR for the embedded database.
To restore the file, use fairlead restore. docs/backup.md explains how to store it.`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  'with-secret': { type: 'boolean' },
  'without-media': { type: 'boolean' },
  force: { type: 'boolean' },
} as const;

function toLine(progress: BackupProgress): string {
  switch (progress.kind) {
    case 'waiting':
      return 'waiting for another backup, or for files to be removed';
    case 'table':
      return `${progress.done} of ${progress.of} tables, ${humanBytes(progress.bytes)}`;
    case 'clicks':
      return `${count(progress.segments, 'segment')} of clicks, ${humanBytes(progress.bytes)}`;
    default:
      return `${count(progress.files, 'file')} of media, ${humanBytes(progress.bytes)}`;
  }
}

const summaryLine = (made: BackupSummary, withMedia: boolean, ms: number): string => {
  const { file, bytes, tables, clicks, media } = made;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const parts = [
    `${count(rows, 'row')} in ${count(tables.length, 'table')}`,
    withMedia
      ? `${count(media.files, 'file')} of media (${humanBytes(media.bytes)})`
      : 'files of media left out',
    `${count(clicks.segments, 'segment')} of clicks`,
  ];
  return `${file}: ${humanBytes(bytes)} in ${humanTime(ms)}; ${parts.join(', ')}.`;
};

/** If the backup is written to the server's own disk, the server's storage reserve stays free. */
async function keepFree({ DATA_DIR, STORAGE_RESERVE }: Config, file: string) {
  const getDevice = async (path: string): Promise<number | null> =>
    (await stat(path).catch(() => null))?.dev ?? null; // an unreadable path is reported where it is used
  const isSame = (await getDevice(DATA_DIR)) === (await getDevice(dirname(resolve(file))));
  return (disk: FileSystem): number => (isSame ? reservedBytes(STORAGE_RESERVE, disk) : 0);
}

async function backUp(config: Config, file: string, values: Record<string, unknown>, terminal: Terminal) {
  assertRestored(config);
  assertDatabaseNamed(config);
  const secrets = await rootSecrets(config);
  const { connection, stop } = await findDatabase(config);
  const media = values['without-media'] === true ? null : mediaStore(config);
  const report = progressLine(terminal);
  const began = performance.now();
  try {
    return await writeBackup({
      connection: directConnection(config, connection),
      file,
      media,
      journals: config.DATA_DIR,
      secrets,
      withSecret: values['with-secret'] === true,
      force: values['force'] === true,
      keepFree: await keepFree(config, file),
      report: (progress) => report(`${toLine(progress)}, ${humanTime(performance.now() - began)}`),
      signal: terminal.signal,
    });
  } finally {
    await media?.close();
    await stop?.();
  }
}

/** @returns the exit code */
export const runBackup = (
  args: string[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
): Promise<number> =>
  performed(terminal, async () => {
    const { values, positionals } = parse(args, OPTIONS, 'backup');
    if (values.help) return terminal.out(HELP);
    const file = onlyFile(positionals, 'backup');
    const began = performance.now();
    const config = readConfig(env);
    const made = await backUp(config, file, values, terminal);
    terminal.progress?.(null);
    terminal.out(summaryLine(made, values['without-media'] !== true, performance.now() - began));
    await recordBackup(config.DATA_DIR, made.at).catch(({ message }: Error) =>
      terminal.error(`/metrics does not show this backup: ${message}`),
    );
    if (made.missing.length)
      terminal.error(
        `${count(made.missing.length, 'file')} of media that the database names ${made.missing.length === 1 ? 'is' : 'are'} missing or damaged in the store, and not in the backup: ${made.missing.slice(0, 10).join(', ')}${made.missing.length > 10 ? ', …' : ''}`,
      );
  });
