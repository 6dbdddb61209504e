/**
 * The folder of PostgreSQL's unix socket: mode 0700, its owner PostgreSQL's account, used by nothing else. It lies
 * beside the data where the socket's path fits into what the system allows, else in a folder for runtime files.
 */
import { chmodSync, chownSync, lstatSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCode, EmbeddedDatabaseError } from './errors.ts';
import { toHash, type DataDirectory } from './data-directory.ts';

/** Only a part of the socket's name: nothing listens on a network. */
export const PORT = 5432;
/** Bytes of a socket's path (sun_path less its closing zero). */
const LONGEST = process.platform === 'darwin' ? 103 : 107;

/** The socket's path within a folder. */
export function socketIn(folder: string): string {
  return join(folder, `.s.PGSQL.${PORT}`);
}

function fits(folder: string): boolean {
  return Buffer.byteLength(socketIn(folder)) <= LONGEST;
}

/** Folders outside the data where the socket may lie, best first. */
function outside({ folder, account }: DataDirectory): string[] {
  const name = `fairlead-${account.uid}-${toHash(folder)}`;
  const runtime = process.geteuid!() === 0 ? '/run' : process.env['XDG_RUNTIME_DIR'];
  const parents = [runtime, tmpdir(), '/tmp'].filter((parent) => parent?.startsWith('/'));
  return parents.flatMap((parent) => [
    join(parent!, name),
    join(parent!, `${name}-1`),
    join(parent!, `${name}-2`),
  ]);
}

/** Creates a folder owned by us; returns false if it belongs to another account or can't be created. */
function claim(folder: string, { account }: DataDirectory): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    if (account.switched) chownSync(folder, account.uid, account.gid);
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(getCode(error))) return false;
    if (getCode(error) !== 'EEXIST') throw error;
  }
  // In a world-writable folder, another account may have created it first, or placed a link.
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== account.uid) return false;
  if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
  return true;
}

/**
 * Makes the folder, empty and closed to others.
 * @param previous the folder of this server's run before, which clients know.
 * @throws EmbeddedDatabaseError when there is none that can be used.
 */
export function openSocketFolder(directory: DataDirectory, previous?: string): string {
  const beside = join(directory.folder, 'run');
  const candidates = previous ? [previous] : fits(beside) ? [beside] : outside(directory).filter(fits);
  // Folders copied with the data may belong to any account.
  if (candidates[0] === beside) rmSync(beside, { recursive: true, force: true });
  const folder = candidates.find((candidate) => claim(candidate, directory));
  if (folder === undefined)
    throw new EmbeddedDatabaseError(
      `PostgreSQL's socket can't be created beside the database in ${directory.folder} (the path is too long or not writable) or in the folders for temporary files. Choose a shorter DATA_DIR, or set DATABASE_URL.`,
    );
  for (const left of [socketIn(folder), `${socketIn(folder)}.lock`]) rmSync(left, { force: true });
  return folder;
}

/** Removes the folder if it lies outside the data; best done when the server has stopped. */
export function closeSocketFolder(folder: string, directory: DataDirectory): void {
  if (folder.startsWith(`${directory.folder}/`)) return;
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY'].includes(getCode(error))) throw error;
  }
}
