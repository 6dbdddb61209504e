/**
 * Where the database of a data folder lies:
 *
 *   <place>/data           the PostgreSQL cluster
 *   <place>/server.*       who holds it (server-lock.ts)
 *   <place>/run            its socket, where the path is short enough
 *   <place>/postgresql-*   a copy of the programs, where they can't be run from node_modules
 *
 * The place is `<DATA_DIR>/postgres`. Only when root starts the first time in a folder that the account of PostgreSQL
 * can't get to, it is `/var/lib/fairlead/<hash of the path>`; then `<DATA_DIR>/database-location.txt` says so, and
 * from then on that file decides, so that no change of paths or permissions ever makes a second, empty database.
 */
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Account, accountFor, canReach } from './account.ts';
import { toClearError, cannotUse, getCode, EmbeddedDatabaseError } from './errors.ts';
import { type DatabaseLocation, pointedFolder, toPointer } from './location-file.ts';

/** Root's alternative; a folder per data folder. */
const ELSEWHERE = '/var/lib/fairlead';

export interface DataDirectory extends DatabaseLocation {
  /** The PostgreSQL cluster. */
  data: string;
}

/** A short name for a path. */
export function toHash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}

/** User ID of the owner of a path; null when there is nothing. */
function getOwner(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch (error) {
    if (getCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Makes a folder and those above it; false where another server that starts at this instant made it. */
function makeFolder(path: string): boolean {
  mkdirSync(dirname(path), { recursive: true });
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (getCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The data folder with all links resolved; made when it is missing. */
function openDataDir(given: string): string {
  const path = resolve(given);
  try {
    // Others may pass through (PostgreSQL's account must), not look into it.
    if (!existsSync(path) && makeFolder(path)) chmodSync(path, process.geteuid!() === 0 ? 0o711 : 0o700);
    const real = realpathSync(path);
    if (!statSync(real).isDirectory()) throw Object.assign(new Error(), { code: 'EEXIST' });
    return real;
  } catch (error) {
    throw cannotUse('The data folder', path, error);
  }
}

const getElsewhere = (dataDir: string): string => join(ELSEWHERE, toHash(dataDir));
const holdsData = (folder: string): boolean => existsSync(join(folder, 'data', 'PG_VERSION'));

/** The folder that already holds, or is said to hold, the database of a data folder; null when there is none yet. */
function knownFolder(dataDir: string): string | null {
  const inside = join(dataDir, 'postgres');
  const pointed = pointedFolder(dataDir);
  if (pointed !== null) {
    if (holdsData(inside))
      throw new EmbeddedDatabaseError(
        `There are two databases: ${inside}, and ${pointed} by ${toPointer(dataDir)}. Move away the one that you don't want (the folder, or that file).`,
      );
    return pointed;
  }
  if (holdsData(inside)) return inside;
  return holdsData(getElsewhere(dataDir)) ? getElsewhere(dataDir) : null;
}

/** Returns the folder of a data folder's database without creating anything; null if there is none yet. */
export function findDataDirectory(given: string): string | null {
  const path = resolve(given);
  return existsSync(path) ? knownFolder(realpathSync(path)) : null;
}

/** Creates the folder of the database, and removes access for other accounts. */
function openFolder(folder: string, account: Account): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    if (account.switched && statSync(folder).uid !== account.uid) {
      chownSync(folder, 0, account.gid);
      chmodSync(folder, 0o710);
    } else chmodSync(folder, 0o700);
  } catch (error) {
    throw cannotUse('The database folder', folder, error);
  }
}

/** Settles where a new database will lie. */
function chooseFolder(dataDir: string, account: Account): string {
  if (!account.switched || canReach(account, [['-x', dataDir]])) {
    const inside = join(dataDir, 'postgres');
    openFolder(inside, account);
    return inside;
  }
  const elsewhere = getElsewhere(dataDir);
  try {
    mkdirSync(ELSEWHERE, { recursive: true });
    chmodSync(ELSEWHERE, 0o755);
  } catch (error) {
    throw cannotUse(`${account.name} can't get to ${dataDir}, and the folder`, ELSEWHERE, error);
  }
  openFolder(elsewhere, account);
  return elsewhere;
}

/** @throws EmbeddedDatabaseError when the database that is known can't be reached, or is somebody else's. */
function openKnown(dataDir: string, folder: string): Account {
  const data = join(folder, 'data');
  // Another user's folder may not even let us look at the data inside.
  if (process.geteuid!() !== 0) accountFor(folder, getOwner(folder));
  if (!holdsData(folder))
    throw new EmbeddedDatabaseError(
      `${toPointer(dataDir)} says that the database is in ${folder}, but it is not there. Put it back, or delete the file to start with an empty database.`,
    );
  const account = accountFor(data, getOwner(data));
  openFolder(folder, account);
  if (canReach(account, [['-x', data]])) return account;
  throw new EmbeddedDatabaseError(
    `The database is in ${data}, which ${account.name} can no longer access. Allow access to the folders above it (chmod o+x).`,
  );
}

/**
 * Finds or settles where the database lies and which account it runs under. Touches no data.
 * @param given DATA_DIR; relative paths and links are resolved.
 * @throws EmbeddedDatabaseError when it can't be reached, or belongs to somebody else.
 */
export function openDataDirectory(given: string): DataDirectory {
  const dataDir = openDataDir(given);
  const inside = join(dataDir, 'postgres');
  try {
    let folder = knownFolder(dataDir);
    let account: Account;
    if (folder !== null) account = openKnown(dataDir, folder);
    else {
      // To others root's gate hides whether there is a database behind it: its owner decides.
      account = accountFor(inside, process.geteuid!() === 0 ? null : getOwner(inside));
      folder = chooseFolder(dataDir, account);
    }
    return { dataDir, folder, data: join(folder, 'data'), account, elsewhere: folder !== inside };
  } catch (error) {
    throw toClearError(error, 'The data folder', dataDir);
  }
}
