/**
 * File locks that end with the process that holds them: an exclusive SQLite transaction that is never ended. This is
 * Node's only access to the operating system's file locks (fcntl): acquired atomically, released by the kernel when the
 * holder dies, kept while it is frozen, and visible to containers that share the directory but not process IDs.
 *
 * Invariant: the holder only opens the file through SQLite, because closing any other descriptor would drop the lock.
 * Information about the holder is therefore stored in a separate file.
 */
import { accessSync, constants, existsSync, lchownSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cannotUse } from './errors.ts';

const SQLITE_BUSY = 5;

export interface FileLock {
  /** Gives the lock up. */
  close(): void;
}

/**
 * Takes the lock of `path`, an empty file that is made where it is missing.
 * @returns null where another holds it, be it in this process
 * @throws EmbeddedDatabaseError where the file can't be used
 */
export function openFileLock(path: string): FileLock | null {
  let lock: DatabaseSync | undefined;
  try {
    // SQLite would only say that it can't open the file; the system says why.
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    else writeFileSync(path, '', { flag: 'a' });
    const { uid, gid } = statSync(dirname(path));
    // The folder's owner must be able to take it later; but may not be given what a link of theirs leads to.
    if (process.geteuid!() === 0) lchownSync(path, uid, gid);
    lock = new DatabaseSync(path);
    // No journal file: the transaction never writes.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw cannotUse('The lock file', path, error);
  }
}
