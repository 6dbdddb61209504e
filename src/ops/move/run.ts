/** `fairlead move`: the command line interface of move.ts. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AdminError, findDatabase } from '../command/connect.ts';
import { count, humanTime, parse, performed, progressLine, type Terminal } from '../command/command.ts';
import { type Config, readConfig } from '../../platform/config/config.ts';
import { directConnection, type PoolOptions } from '../../platform/db/database.ts';
import { createS3Client } from '../../platform/storage/s3/s3-client.ts';
import { move, type Moved, undoMove } from './move.ts';
import { moveMedia } from './move-media.ts';

const HELP = `Usage: fairlead move postgres://USER@HOST/DATABASE [--report FILE] [--compare-all]
       fairlead move --undo
       fairlead move --media

Moves the database of this installation to another PostgreSQL server (15 or newer), into an existing empty database. The server can keep running while rows are copied. Writes are rejected only while the last changes are copied and both
databases are compared. Nothing is deleted. Afterwards, start the server with DATABASE_URL.

  postgres://…       Connects directly, not through a transaction pooler. PGPASSWORD and ~/.pgpass are supported.
  --report FILE      Writes the row count and checksum of every table as JSON.
  --compare-all      Compares all rows of both databases again while writes are rejected. Takes longer.
  --undo             Makes the old database writable again. New data in the new database stays there.
  --media            Copies media files from DATA_DIR to the store at S3_URL. Can be repeated.

Uses the settings of the server (fairlead --help): DATA_DIR for the embedded database, or DATABASE_URL.`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  undo: { type: 'boolean' },
  media: { type: 'boolean' },
  report: { type: 'string' },
  'compare-all': { type: 'boolean' },
} as const;

/** Returns the host, port and database of an address, without user and password. */
function getName(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol) || url.pathname.length < 2)
    throw new AdminError('Specify the URL of the new database, such as postgres://user@host/database.');
  return `${url.host || 'localhost'}${url.pathname}`;
}

async function withSource<T>(config: Config, work: (connection: PoolOptions) => Promise<T>): Promise<T> {
  const { connection, stop } = await findDatabase(config);
  try {
    return await work(directConnection(config, connection));
  } finally {
    await stop?.();
  }
}

function summary({ tables, frozenMs }: Moved, to: string, config: Config): string {
  const rows = [...tables.values()].reduce((sum, digest) => sum + digest.rows, 0);
  return [
    `Moved: ${count(rows, 'row')} in ${tables.size} tables were moved to ${to}. Row counts and checksums match. Writes have been rejected for ${humanTime(frozenMs)}.`,
    'Now stop the server and start it with the same DATA_DIR (it contains media files and clicks that are not loaded yet) and with',
    '  DATABASE_URL        the URL that you specified',
    ...(config.DATABASE_DIRECT_URL
      ? ['  DATABASE_DIRECT_URL the new database without a pooler, or unset']
      : []),
    ...(config.DATABASE_URL
      ? []
      : [
          '  FAIRLEAD_SECRET     the first line of secret.key in DATA_DIR (the second line, if any, is FAIRLEAD_SECRET_ALSO)',
        ]),
    'Until then, the old database can be read and short links keep working. It was not deleted, but is now read-only. To make it writable again: fairlead move --undo',
  ].join('\n');
}

interface Wanted {
  report?: string;
  'compare-all'?: boolean;
}

async function runMove(config: Config, address: string, wanted: Wanted, terminal: Terminal): Promise<void> {
  const targetName = getName(address);
  const progress = progressLine(terminal);
  const say = (text: string): void => {
    terminal.progress?.(null);
    terminal.out(text);
  };
  await withSource(config, async (source) => {
    const moved = await move({
      source,
      target: { connectionString: address },
      targetName,
      signal: terminal.signal,
      thoroughly: wanted['compare-all'],
      onPass: (changed) => say(`${count(changed, 'row')} copied. The server keeps running.`),
      onFrozen: () => say('Writes are now rejected while the last changes are copied.'),
      report: ({ table, done, of }) => progress(`${table}, ${done} of ${of} tables`),
    });
    if (wanted.report !== undefined)
      await writeFile(wanted.report, `${JSON.stringify(Object.fromEntries(moved.tables), null, 2)}\n`);
    say(summary(moved, targetName, config));
  });
}

async function runMedia(config: Config, terminal: Terminal): Promise<void> {
  if (!config.S3_URL) throw new AdminError('S3_URL is not set. It specifies where to copy the files.');
  const client = createS3Client(config.S3_URL);
  try {
    const { sent, there, bytes, damaged } = await moveMedia(join(config.DATA_DIR, 'media'), client);
    terminal.out(
      `${sent} files (${(bytes / 1024 / 1024).toFixed(1)} MiB) copied, ${there} already existed. Nothing was deleted.`,
    );
    if (damaged.length)
      throw new AdminError(`${damaged.length} files are damaged and were not copied: ${damaged.join(', ')}`);
  } finally {
    await client.close();
  }
}

/** @returns the exit code. */
export const runMoveCommand = (
  args: string[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
): Promise<number> =>
  performed(terminal, async () => {
    const { values, positionals } = parse(args, OPTIONS, 'move');
    const [address, ...rest] = positionals;
    const wanted = [address !== undefined, values.undo, values.media].filter(Boolean).length;
    if (values.help || wanted !== 1 || rest.length) {
      terminal.out(HELP);
      return values.help ? 0 : 1;
    }
    const config = readConfig(env);
    if (values.media) await runMedia(config, terminal);
    else if (address !== undefined) await runMove(config, address, values, terminal);
    else {
      const to = await withSource(config, undoMove);
      terminal.out(
        to === null
          ? 'This database was not moved.'
          : `This database is writable again (it had been moved to ${to}).`,
      );
    }
    return 0;
  });
