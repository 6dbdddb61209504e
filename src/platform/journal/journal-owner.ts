/**
 * Ownership of journals. Journals are directories `<id>` in a root, which several processes share, possibly
 * in several containers. The owner of a journal holds the lock on its file `lock`: the process that appends to it or,
 * after its death, the process that loads the rest. The kernel releases the lock when the process ends, so reused
 * process IDs and clock jumps don't matter. `owner.json` is a second guard in case the lock was lost or the file was
 * replaced: it names the process that appends.
 *
 * Removal: the directory is first renamed to `<id>.gone`, which ends the journal atomically and permanently. Any
 * process may remove the renamed directory later.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseOwnJson } from '../json/own-json.ts';
import { getCode } from '../embedded-postgres/errors.ts';
import { openFileLock } from '../embedded-postgres/file-lock.ts';
import { getBegin, folderIdentity, idSpace } from '../embedded-postgres/processes.ts';

const MAX_TRIES = 20;
export const REMOVED_SUFFIX = '.gone';

export interface ClaimedJournal {
  /** A random UUID. */
  id: string;
  folder: string;
  /** Releases the lock so that another process can claim the journal. */
  release(): void;
}

/** Syncs a directory's entries to disk, so that they survive a power failure. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const ownerPath = (folder: string): string => join(folder, 'owner.json');

function ownerText(folder: string): string {
  return JSON.stringify({
    pid: process.pid,
    began: getBegin(process.pid),
    idSpace: idSpace(),
    folder: folderIdentity(folder),
  });
}

/** Returns whether the process named by `owner.json` is alive. A copied file does not count. */
function ownerLives(folder: string): boolean {
  let owner: { pid: number; began: string | null; idSpace: string; folder: string };
  try {
    owner = parseOwnJson(readFileSync(ownerPath(folder), 'utf8'));
  } catch (error) {
    // Truncated by a power failure or not written yet: a journal contains no records before its owner is recorded.
    if (getCode(error) === 'ENOENT' || error instanceof SyntaxError) return false;
    throw error;
  }
  if (owner.idSpace !== idSpace() || !folderIsThere(folder)) return false;
  if (owner.folder !== folderIdentity(folder)) return false;
  return owner.began !== null && getBegin(owner.pid) === owner.began;
}

/**
 * Creates and claims a journal for this process in `root`, which is created if missing.
 * @throws EmbeddedDatabaseError or a system error if the directory cannot be used
 */
export function createJournal(root: string): ClaimedJournal {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  syncFolder(dirname(root));
  for (let tries = 1; ; tries++) {
    const id = randomUUID();
    const folder = join(root, id);
    mkdirSync(folder, { mode: 0o700 });
    try {
      const lock = openFileLock(join(folder, 'lock'));
      if (lock !== null) {
        writeFileSync(ownerPath(folder), ownerText(folder), { mode: 0o600 });
        syncFolder(folder);
        syncFolder(root);
        const release = (): void => {
          rmSync(ownerPath(folder), { force: true });
          lock.close();
        };
        return { id, folder, release };
      }
    } catch (error) {
      // Another process may remove the directory as an orphan before its owner is recorded.
      if (tries === MAX_TRIES || folderIsThere(folder)) throw error;
    }
    if (tries === MAX_TRIES) throw new Error(`Could not create a journal in ${root}`);
  }
}

function folderIsThere(folder: string): boolean {
  try {
    folderIdentity(folder);
    return true;
  } catch (error) {
    if (getCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Claims an orphaned journal. @returns null if it is in use or gone */
export function claimOrphan(root: string, id: string): ClaimedJournal | null {
  const folder = join(root, id);
  // Checked first to avoid opening the lock file of a journal that is in use.
  if (!folderIsThere(folder) || ownerLives(folder)) return null;
  let lock;
  try {
    lock = openFileLock(join(folder, 'lock'));
  } catch (error) {
    if (!folderIsThere(folder)) return null;
    throw error;
  }
  if (lock === null) return null;
  try {
    if (folderIsThere(folder) && !ownerLives(folder)) return { id, folder, release: () => lock.close() };
  } catch (error) {
    lock.close();
    throw error;
  }
  lock.close();
  return null;
}

/** Ends a claimed journal whose records are all loaded. Its files are removed by `removeRecovered`. */
export function endJournal(root: string, journal: ClaimedJournal): void {
  if (folderIsThere(journal.folder)) renameSync(journal.folder, journal.folder + REMOVED_SUFFIX);
  journal.release();
}

/**
 * Removes the files of a journal that has ended.
 * @param recordEnd records in the database that the journal has ended; runs before the removal
 */
export async function removeRecovered(
  root: string,
  id: string,
  recordEnd: () => Promise<void>,
): Promise<void> {
  syncFolder(root);
  await recordEnd();
  rmSync(join(root, id + REMOVED_SUFFIX), { recursive: true, force: true });
}
