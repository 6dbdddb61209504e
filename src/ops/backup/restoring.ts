/**
 * Marks a folder in which a restore has begun but not completed: the file `restoring` in DATA_DIR is created first and
 * removed last. While it exists, no server starts on the folder. The restore holds its lock (file-lock.ts), so that
 * only one runs at a time; after a crash the next one may continue. It clears only what earlier restores recorded
 * (restore-claims.ts); everything else that it would fill must be empty.
 *
 * A restore fills the folder in place instead of renaming a copy: DATA_DIR may be a mount point, which can't be
 * renamed, and the location of an embedded database may depend on the folder's path
 * (embedded-postgres/data-directory.ts).
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
/** Names that an empty volume may contain, and the files of restores. */
const NOTHING = ['lost+found', MARK, basename(claimsFile(''))];

const getMark = (dataDir: string): string => join(dataDir, MARK);

/** @throws ConfigError if a restore into the folder has not completed */
export function assertRestored({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): void {
  if (existsSync(getMark(DATA_DIR)) && readClaims(DATA_DIR) !== null)
    throw new ConfigError(
      `A restore into ${DATA_DIR} is in progress or was interrupted. Run it again with the same file (fairlead restore FILE), or empty the folder.`,
    );
}

export interface RestoreTarget {
  /** Stores that earlier restores wrote media contents to and that this one does not use. The contents stay there. */
  otherStores: string[];
  /** Removes the mark; from then on a server may start. */
  finish(): Promise<void>;
  /** Releases the lock and leaves the folder as it is. */
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
 * Ignores dotfiles directly in DATA_DIR: it may be the home directory of the service account, where a shell and npm
 * keep their files. Fairlead itself creates no dotfiles there.
 * @param earlier claims of earlier restores
 * @throws BackupError if the folder contains other files that a restore would mix with
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

/** @returns null if no restore has begun, or the last one completed */
const earlierClaims = (dataDir: string): Claim[] | null =>
  existsSync(getMark(dataDir)) ? readClaims(dataDir) : null;

/**
 * Checks whether a restore into a folder may begin, without changing anything.
 * @param wanted what the restore would write
 * @returns whether an earlier restore was interrupted and may continue. @throws BackupError
 */
export async function assertTargetIsFree(dataDir: string, wanted: Claim): Promise<boolean> {
  const earlier = earlierClaims(dataDir);
  await assertEmpty(dataDir, wanted, earlier ?? []);
  return earlier !== null;
}

/**
 * Creates the folder if it is missing, and the mark.
 * @returns null if another process holds the mark. @throws BackupError
 */
async function putMark(dataDir: string): Promise<FileLock | null> {
  try {
    if (!existsSync(dataDir)) {
      await mkdir(dataDir, { recursive: true });
      // Same mode as at a server's start (embedded-postgres/data-directory.ts): PostgreSQL's account must be able to
      // traverse it.
      await chmod(dataDir, process.geteuid!() === 0 ? 0o711 : 0o700);
      await syncFolder(dirname(dataDir));
    }
    // These claims belong to a completed restore, or the mark was removed by hand: they must never exist next to a new
    // mark.
    if (!existsSync(getMark(dataDir))) await removeClaims(dataDir);
    await syncFolder(dataDir);
    const lock = openFileLock(getMark(dataDir));
    await syncFolder(dataDir);
    return lock;
  } catch (error) {
    throw new BackupError(`${dataDir} can't be used: ${(error as Error).message}`);
  }
}

/** Deletes the folder's contents but not the folder, which may be a mount point. */
async function clear(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

/**
 * Marks the folder and clears what earlier restores left there.
 * @throws BackupError if another restore is in progress, or the folder contains other files
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
    // If no restore has written anything yet, the files belong to someone else, and a server may start on them.
    if (!claims?.length) await rm(getMark(dataDir), { force: true });
    lock.close();
    throw error;
  }
}
