/**
 * Locks of files that end with the process that holds them: an exclusive SQLite transaction that is never ended. It is
 * the one way to an operating system's file lock (fcntl) that Node has: taken atomically, given up by the kernel the
 * moment the holder dies, kept while it is frozen, and seen by another container that shares the folder but not the
 * process ids.
 *
 * Invariant: the holder never opens the file but through SQLite. Closing any other descriptor of it would drop the
 * lock; that is why what is to be read of a holder stands in a file of its own.
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
