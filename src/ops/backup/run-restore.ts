/** `fairlead restore`: an installation out of a backup, into an empty folder or an empty database. */
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

Reads a backup (fairlead backup) into an empty DATA_DIR, or with DATABASE_URL into an empty database. All of the file is
checked first; what is damaged, foreign or of a later version is refused before anything is touched.

  --check               Checks the file and changes nothing.
  --secret-file PATH    The root secret that the installation had: its secret.key. Not needed where FAIRLEAD_SECRET is
                        set, or the backup was written --with-secret.
  --report PATH         Writes rows and checksum of every table, as in the backup and as read back, to a JSON file.

Settings are those of the server (fairlead --help). A restore that was cut off is run again, with the same file.`;

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
  if (contains.secret) terminal.out('The secret is in the file.');
  if (!contains.media) terminal.out('Files of media are not in it.');
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
      `${file} is restored into ${where} in ${humanTime(performance.now() - began)}: ${contents(done)}. Every table was read back and is the same.`,
    );
    if (done.migrated.length)
      terminal.out(`The schema was brought up to date: ${count(done.migrated.length, 'migration')}.`);
    for (const store of done.otherStores)
      terminal.out(
        `A restore that was cut off brought files of media to ${store}, which this one does not use. They are there still.`,
      );
    terminal.out(
      'It is as of when the backup was written: what waited to be sent then is sent by the next start (docs/backup.md).',
    );
  });
