/**
 * The mark of a folder in which a restore has begun and not ended: the file `restoring` in DATA_DIR, put there before
 * anything else and taken away last. While it is there no server starts on the folder. Who restores holds its lock
 * (file-lock.ts), so two don't at once; after a crash the next may go on. It clears what the one before put there, as
 * that one noted (restore-claims.ts), and nothing else: whatever else it would fill has to be empty.
 *
 * A restore fills the folder in place, and not beside it: DATA_DIR may be a mount point, which can't be renamed, and
 * where an embedded database lies may hang on the folder's path (embedded-postgres/data-directory.ts).
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Config, ConfigError } from '../../platform/config/config.ts';
import { getCode } from '../../platform/embedded-postgres/errors.ts';
import { type FileLock, openFileLock } from '../../platform/embedded-postgres/file-lock.ts';
import { findDataDirectory } from '../../platform/embedded-postgres/data-directory.ts';
import { BackupError } from './backup-error.ts';
import { addClaim, type Claim, claimsFile, endClaims, readClaims, removeClaims } from './restore-claims.ts';

const MARK = 'restoring';
/** What an empty volume may bring along. */
const NOTHING = ['lost+found', MARK, basename(claimsFile(''))];

const getMark = (dataDir: string): string => join(dataDir, MARK);

/** @throws ConfigError where a restore has not ended there */
export function assertRestored({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): void {
  if (existsSync(getMark(DATA_DIR)) && readClaims(DATA_DIR) !== null)
    throw new ConfigError(
      `A restore into ${DATA_DIR} is in progress or was interrupted. Run it again with the same file (fairlead restore FILE), or empty the folder.`,
    );
}

export interface RestoreTarget {
  /** Stores that restores before brought contents of media to, which this one does not use: those stay there. */
  otherStores: string[];
  /** Takes the mark away: a server may start from now on. */
  finish(): Promise<void>;
  /** Gives the place up as it is. */
  release(): void;
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).filter((name) => !NOTHING.includes(name));
  } catch (error) {
    if (getCode(error) === 'ENOENT') return [];
    throw new BackupError(`${path} can't be used: ${(error as Error).message}`);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/**
 * Names with a dot count for nothing in DATA_DIR itself: it may be the home of the service's account, where a shell and
 * npm keep theirs. Nothing of Fairlead is named so there.
 * @param earlier what restores before put there
 * @throws BackupError where something else is there that a restore would mix with
 */
async function assertEmpty(dataDir: string, wanted: Claim, earlier: readonly Claim[]): Promise<void> {
  const claimed = new Set<string>(earlier.flatMap(({ folders }) => folders));
  if (wanted.isWhole && !earlier.some(({ isWhole }) => isWhole)) {
    const others = (await namesIn(dataDir)).filter((name) => !name.startsWith('.') && !claimed.has(name));
    if (others.length)
      throw new BackupError(
        `${dataDir} is not empty (${others[0]}). Set DATA_DIR to an empty folder, or move this one away.`,
      );
    const elsewhere = findDataDirectory(dataDir);
    if (elsewhere !== null)
      throw new BackupError(
        `The database of ${dataDir} is in ${elsewhere}. Move it away, or set another DATA_DIR.`,
      );
  }
  for (const name of wanted.folders)
    if (!claimed.has(name) && (await namesIn(join(dataDir, name))).length)
      throw new BackupError(
        `${join(dataDir, name)} is not empty. Set DATA_DIR to another folder, or move it away.`,
      );
}

/** @returns null where no restore has begun, or the last one has ended */
const earlierClaims = (dataDir: string): Claim[] | null =>
  existsSync(getMark(dataDir)) ? readClaims(dataDir) : null;

/**
 * Looks whether a restore may begin in a folder, and changes nothing.
 * @param wanted what it would put there
 * @returns whether an earlier one was cut off there, and may go on. @throws BackupError
 */
export async function assertTargetIsFree(dataDir: string, wanted: Claim): Promise<boolean> {
  const earlier = earlierClaims(dataDir);
  await assertEmpty(dataDir, wanted, earlier ?? []);
  return earlier !== null;
}

/** Makes the folder where it is missing. @returns null where another holds the mark. @throws BackupError */
async function putMark(dataDir: string): Promise<FileLock | null> {
  try {
    if (!existsSync(dataDir)) {
      await mkdir(dataDir, { recursive: true });
      // As a start makes it (embedded-postgres/data-directory.ts): PostgreSQL's account must pass through.
      await chmod(dataDir, process.geteuid!() === 0 ? 0o711 : 0o700);
      await syncFolder(dirname(dataDir));
    }
    // Of a restore that is over, or whose mark was taken away by hand: it must never stand beside a new mark.
    if (!existsSync(getMark(dataDir))) await removeClaims(dataDir);
    await syncFolder(dataDir);
    const lock = openFileLock(getMark(dataDir));
    await syncFolder(dataDir);
    return lock;
  } catch (error) {
    throw new BackupError(`${dataDir} can't be used: ${(error as Error).message}`);
  }
}

/** Of all that is in it: the folder itself may be a mount point. */
async function clear(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

/**
 * Marks the folder and clears what earlier restores left there.
 * @throws BackupError where another restore is under way, or something else is there
 */
export async function claimTarget(dataDir: string, wanted: Claim): Promise<RestoreTarget> {
  const isAgain = earlierClaims(dataDir) !== null;
  const lock = await putMark(dataDir);
  if (lock === null) throw new BackupError(`Another restore into ${dataDir} is in progress.`);
  let claims: Claim[] | null = null;
  try {
    if (isAgain) claims = readClaims(dataDir);
    if (claims === null) await removeClaims(dataDir);
    const earlier = claims ?? [];
    await assertEmpty(dataDir, wanted, earlier);
    for (const name of new Set(earlier.flatMap(({ folders }) => folders))) await clear(join(dataDir, name));
    await addClaim(dataDir, wanted);
    await syncFolder(dataDir);
    const stores = new Set(earlier.flatMap(({ store }) => store ?? []));
    return {
      otherStores: [...stores].filter((store) => store !== wanted.store),
      async finish() {
        await endClaims(dataDir);
        await rm(getMark(dataDir), { force: true });
        await syncFolder(dataDir);
        await removeClaims(dataDir);
      },
      release: () => lock.close(),
    };
  } catch (error) {
    // Where nothing was put yet, what is there is somebody's, and may be served.
    if (!claims?.length) await rm(getMark(dataDir), { force: true });
    lock.close();
    throw error;
  }
}
