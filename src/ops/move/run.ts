/** `fairlead move`: what an operator types and reads. What it does is in move.ts. */
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

Moves the database of this installation to another PostgreSQL server (15 or newer), into an empty database that exists
there. The server may run, and goes on while rows are copied; writes are refused only while what changed last is copied,
and both are compared. Nothing is deleted. Then start the server with DATABASE_URL.

  postgres://…       Without a transaction pooler between. A password may come by PGPASSWORD or ~/.pgpass.
  --report FILE      Writes rows and checksum of every table as JSON.
  --compare-all      Reads all rows of both once more while writes are refused, and compares them: takes longer.
  --undo             Lets the old database be written again. New data of the new one stays there.
  --media            Copies files of media from DATA_DIR to the store of S3_URL; may be repeated.

Settings are those of the server (fairlead --help): DATA_DIR for the embedded database, or DATABASE_URL.`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  undo: { type: 'boolean' },
  media: { type: 'boolean' },
  report: { type: 'string' },
  'compare-all': { type: 'boolean' },
} as const;

/** Host, port and database of an address, without who and by what password. */
function getName(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol) || url.pathname.length < 2)
    throw new AdminError('Give the address of the new database, as postgres://user@host/database.');
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
    `Moved: ${count(rows, 'row')} in ${tables.size} tables are the same in ${to}, by counts and checksums. Writes have been refused for ${humanTime(frozenMs)}.`,
    'Now stop the server and start it with the same DATA_DIR (files of media, and clicks that wait, are in it) and with',
    '  DATABASE_URL        the address that you gave',
    ...(config.DATABASE_DIRECT_URL
      ? ['  DATABASE_DIRECT_URL the way to the new database without a pooler, or nothing']
      : []),
    ...(config.DATABASE_URL
      ? []
      : [
          '  FAIRLEAD_SECRET     the first line of secret.key in DATA_DIR (a second one, where there is one, is FAIRLEAD_SECRET_ALSO)',
        ]),
    'Until then the old database can be read, and short links go on. It was not deleted, and is read-only now: fairlead move --undo',
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
      onPass: (changed) => say(`${count(changed, 'row')} copied; the server goes on.`),
      onFrozen: () => say('Writes are refused from now on; what changed last is being copied.'),
      report: ({ table, done, of }) => progress(`${table}, ${done} of ${of} tables`),
    });
    if (wanted.report !== undefined)
      await writeFile(wanted.report, `${JSON.stringify(Object.fromEntries(moved.tables), null, 2)}\n`);
    say(summary(moved, targetName, config));
  });
}

async function runMedia(config: Config, terminal: Terminal): Promise<void> {
  if (!config.S3_URL) throw new AdminError('S3_URL is not set: that is where the files would go.');
  const client = createS3Client(config.S3_URL);
  try {
    const { sent, there, bytes, damaged } = await moveMedia(join(config.DATA_DIR, 'media'), client);
    terminal.out(
      `${sent} files (${(bytes / 1024 / 1024).toFixed(1)} MiB) sent, ${there} there already. Nothing was deleted.`,
    );
    if (damaged.length)
      throw new AdminError(`${damaged.length} files are damaged and were not sent: ${damaged.join(', ')}`);
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
          : `This database may be written again (it had been moved to ${to}).`,
      );
    }
    return 0;
  });
