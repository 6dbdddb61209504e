/**
 * Makes the data folder of PostgreSQL.
 *
 * Invariant: `<place>/data` appears complete and synced, or not at all. initdb, and the statements that make our role
 * and database, work in a side folder that is renamed when all is done. What a start that died left behind are side
 * folders, which the next one (under the server's lock) removes.
 */
import {
  chownSync,
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../logging/log.ts';
import { ownName } from './account.ts';
import type { Binaries } from './binaries.ts';
import { toClearError, EmbeddedDatabaseError } from './errors.ts';
import { launch } from './launch.ts';
import type { DataDirectory } from './data-directory.ts';
import { toStartError } from './start-fault.ts';

const SIDE = 'initdb-';
const KEPT = 20_000;

export const SUPERUSER = 'postgres';
/** The program's own role: it may make databases (tests give each file its own), but is no superuser. */
export const ROLE = 'fairlead';
export const DATABASE = 'fairlead';

/** Errors of our statements are returned to us; the server log would repeat them, values included. */
const STATEMENTS = [
  `CREATE ROLE ${ROLE} LOGIN CREATEDB`,
  `ALTER ROLE ${ROLE} SET log_min_messages = 'log'`,
  `CREATE DATABASE ${DATABASE} OWNER ${ROLE}`,
];

/** For what PostgreSQL still asks the system's C library; not every system knows the first. */
const LIBC_LOCALES = ['C.UTF-8', 'C'];

/** Removes leftovers of failed starts. Only for the holder of the server's lock. */
export function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(SIDE)) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
}

/** Runs one of PostgreSQL's programs to its end. */
type Run = (name: string, args: string[], input?: string) => Promise<{ how: string; lines: string[] }>;

function runner(
  { account }: DataDirectory,
  binaries: Binaries,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
): Run {
  return async (name, args, input = '') => {
    const program = await launch(join(binaries.folder, 'bin', name), args, { account, log });
    program.stdin.end(input);
    let text = '';
    program.log.setEncoding('utf8');
    program.log.on('data', (chunk: string) => (text = (text + chunk).slice(-KEPT)));
    const how = await program.exited;
    await program.gone;
    return { how, lines: text.split('\n').filter(Boolean) };
  };
}

async function fill(side: string, directory: DataDirectory, run: Run): Promise<void> {
  const initdb = [
    `--pgdata=${side}`,
    `--username=${SUPERUSER}`,
    '--auth=reject',
    '--no-instructions',
    '--no-sync',
  ];
  // Sorting and case by PostgreSQL's own rules, which are the same on every system.
  initdb.push('--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  let made = { how: '', lines: ['invalid locale name'] };
  for (const locale of LIBC_LOCALES)
    if (made.lines.some((line) => line.includes('invalid locale name')))
      made = await run('initdb', [...initdb, `--locale=${locale}`]);
  if (made.how !== 'code 0') throw toStartError(made, directory);

  const single = ['--single', '-j', '-F', '-D', side, '-c', 'log_min_messages=error', 'template1'];
  const session = await run('postgres', single, STATEMENTS.map((statement) => `${statement};\n\n`).join(''));
  // A stand-alone backend goes on after a statement that failed.
  if (session.how !== 'code 0' || session.lines.some((line) => /(ERROR|FATAL|PANIC): /.test(line)))
    throw toStartError(session, directory);

  // One syncfs if available: syncing a thousand files individually takes seconds on a busy disk.
  const method = process.platform === 'linux' ? ['--sync-method=syncfs'] : [];
  const synced = await run('initdb', ['--sync-only', `--pgdata=${side}`, ...method]);
  if (synced.how !== 'code 0') throw toStartError(synced, directory);
}

/** Syncs a rename, so that it survives a power failure. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes a new cluster with our role and database.
 * @throws EmbeddedDatabaseError; nothing is left behind then.
 */
export async function createCluster(
  directory: DataDirectory,
  binaries: Binaries,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
): Promise<void> {
  const { folder, data, account } = directory;
  if (!account.switched && ownName() === null)
    throw new EmbeddedDatabaseError(
      `The user id ${account.uid} that Fairlead runs under has no entry in /etc/passwd, which PostgreSQL needs to create its database. Add one, start Fairlead as a user that has one, or set DATABASE_URL.`,
    );
  const side = mkdtempSync(join(folder, SIDE));
  try {
    if (account.switched) chownSync(side, account.uid, account.gid);
    await fill(side, directory, runner(directory, binaries, log));
    renameSync(side, data);
    syncFolder(folder);
  } catch (error) {
    rmSync(side, { recursive: true, force: true, maxRetries: 5 });
    throw toClearError(error, 'The new database', data);
  }
}
