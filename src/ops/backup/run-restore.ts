/** `fairlead restore`: restores an installation from a backup into an empty folder or an empty database. */
import { writeFile } from 'node:fs/promises';
import { readConfig } from '../../platform/config/config.ts';
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
import { restore, type RestoreProgress, type RestoreSummary } from './restore.ts';

const HELP = `Usage: fairlead restore FILE [options]

Restores a backup (fairlead backup) into an empty DATA_DIR, or with DATABASE_URL into an empty database. The whole file
is checked first: a damaged file, or one of a later version, is rejected before anything is changed.

  --check               Checks the file without changing anything.
  --secret-file PATH    The secret.key of the installation. Not required if FAIRLEAD_SECRET is set, or if the backup was
                        written with --with-secret.
  --report PATH         Writes the row count and checksum of every table, in the backup and as restored, as JSON.

Uses the settings of the server (fairlead --help). If a restore was interrupted, run it again with the same file.`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  check: { type: 'boolean' },
  'secret-file': { type: 'string' },
  report: { type: 'string' },
} as const;

function toLine(progress: RestoreProgress): string {
  switch (progress.kind) {
    case 'verified':
      return `checking: ${humanBytes(progress.bytes)} of ${humanBytes(progress.of)}`;
    case 'media':
      return `${progress.files} of ${count(progress.of, 'file')} of media`;
    default:
      return `${progress.done} of ${progress.of} tables: ${progress.table}`;
  }
}

const toRows = ({ archive }: RestoreSummary): number =>
  archive.manifest.tables.reduce((sum, { rows }) => sum + rows, 0);

function contents(done: RestoreSummary): string {
  const { tables, media, clicks } = done.archive.manifest;
  const files = done.archive.header.contains.media
    ? `${count(media.files, 'file')} of media (${humanBytes(media.bytes)})`
    : 'files of media left out';
  return `${count(toRows(done), 'row')} in ${count(tables.length, 'table')}, ${files}, ${count(clicks.segments, 'segment')} of clicks`;
}

function tellChecked(done: RestoreSummary, file: string, terminal: Terminal): void {
  const { made_at: madeAt, program, postgresql, secrets, contains } = done.archive.header;
  terminal.out(`${file} is whole: ${contents(done)}.`);
  terminal.out(`Written ${madeAt} by Fairlead ${program} on PostgreSQL ${postgresql}.`);
  terminal.out(
    done.seal === 'good'
      ? `Its secret (${secrets[0]}) is at hand, and who wrote the file had it.`
      : `Its secret (${secrets[0]}) is not at hand: give --secret-file PATH or FAIRLEAD_SECRET to know who wrote it.`,
  );
  if (contains.secret) terminal.out('The file contains the root secret.');
  if (!contains.media) terminal.out('The file does not contain media files.');
}

function getReport({ archive: { header, manifest }, tables, migrated }: RestoreSummary): string {
  const report = {
    made_at: header.made_at,
    program: header.program,
    postgresql: header.postgresql,
    tables: manifest.tables.map(({ name, rows, checksum }) => ({
      name,
      backup: { rows, checksum },
      restored: tables?.get(name) ?? null,
    })),
    media: manifest.media,
    clicks: manifest.clicks,
    migrated,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** @returns the exit code */
export const runRestore = (
  args: string[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
): Promise<number> =>
  performed(terminal, async () => {
    const { values, positionals } = parse(args, OPTIONS, 'restore');
    if (values.help) return terminal.out(HELP);
    const file = onlyFile(positionals, 'restore');
    const config = readConfig(env);
    const report = progressLine(terminal);
    const began = performance.now();
    const done = await restore({
      config,
      file,
      secretFile: values['secret-file'],
      check: values.check === true,
      report: (progress) => report(`${toLine(progress)}, ${humanTime(performance.now() - began)}`),
      signal: terminal.signal,
    });
    terminal.progress?.(null);
    if (values.report !== undefined) await writeFile(values.report, getReport(done));
    if (values.check) return tellChecked(done, file, terminal);
    const where = config.DATABASE_URL ? 'the database of DATABASE_URL' : config.DATA_DIR;
    terminal.out(
      `Restored ${file} into ${where} in ${humanTime(performance.now() - began)}: ${contents(done)}. Every table was read back and matches.`,
    );
    if (done.migrated.length)
      terminal.out(`The schema was updated: ${count(done.migrated.length, 'migration')}.`);
    for (const store of done.otherStores)
      terminal.out(
        `An interrupted restore copied media files to ${store}, which this restore does not use. They are still there.`,
      );
    terminal.out(
      'The state is that of the backup: messages and deliveries that were waiting then are sent at the next start (docs/backup.md).',
    );
  });
