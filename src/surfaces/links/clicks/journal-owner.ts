/**
 * Whose a journal is. Journals are folders `<id>` of `DATA_DIR/clicks`, which several processes share, perhaps in
 * several containers. A journal is held by whoever has the lock of its file `lock`: the process that appends to it, or,
 * after its death, one that loads what is left. The kernel ends the lock with the process, so neither ids of processes
 * that are used again nor clocks that jump matter. `owner.json` is the second guard, for where the lock was dropped or
 * the file replaced: it names the process that appends.
 *
 * Removal: the folder is renamed to `<id>.gone` first, which ends the journal at once and for good; what is in it may
 * be removed by anybody at any later time.
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
import { getCode } from '../../../platform/embedded-postgres/errors.ts';
import { openFileLock } from '../../../platform/embedded-postgres/file-lock.ts';
import { getBegin, folderIdentity, idSpace } from '../../../platform/embedded-postgres/processes.ts';

const TRIES = 20;
export const REMOVED_SUFFIX = '.gone';

export interface JournalSnapshotEntry {
  /** A random UUID. */
  id: string;
  folder: string;
  /** Gives it to whoever wants it next. */
  release(): void;
}

/** What the file system knows of a folder's entries survives a power failure from then on. */
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

/** Whether the process that `owner.json` names lives; a copied file names nobody. */
function ownerLives(folder: string): boolean {
  let owner: { pid: number; began: string | null; idSpace: string; folder: string };
  try {
    owner = JSON.parse(readFileSync(ownerPath(folder), 'utf8'));
  } catch (error) {
    // Cut off by a power failure, or not written yet: no click is in a journal before its owner is named.
    if (getCode(error) === 'ENOENT' || error instanceof SyntaxError) return false;
    throw error;
  }
  if (owner.idSpace !== idSpace() || !folderIsThere(folder)) return false;
  if (owner.folder !== folderIdentity(folder)) return false;
  return owner.began !== null && getBegin(owner.pid) === owner.began;
}

/**
 * Makes a journal of this process below `root`, which is made too.
 * @throws EmbeddedDatabaseError or a system error where the folder can't be used
 */
export function claimJournal(root: string): JournalSnapshotEntry {
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
      // Another process may take a folder without an owner for one that was left behind, and remove it.
      if (tries === TRIES || folderIsThere(folder)) throw error;
    }
    if (tries === TRIES) throw new Error(`No journal of clicks could be made in ${root}`);
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

/** Takes a journal that nobody has. @returns null where somebody does, or it is gone */
export function takeJournal(root: string, id: string): JournalSnapshotEntry | null {
  const folder = join(root, id);
  // The file of a journal that is in use is not even opened, where that can be told without.
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

/** Ends a journal that is held, whose clicks are all loaded; its files are left for `removeGone`. */
export function endJournal(root: string, journal: JournalSnapshotEntry): void {
  if (folderIsThere(journal.folder)) renameSync(journal.folder, journal.folder + REMOVED_SUFFIX);
  journal.release();
}

/**
 * Removes what is left of a journal that has ended.
 * @param note that it has ended
 */
export async function removeRecovered(root: string, id: string, note: () => Promise<void>): Promise<void> {
  syncFolder(root);
  await note();
  rmSync(join(root, id + REMOVED_SUFFIX), { recursive: true, force: true });
}
