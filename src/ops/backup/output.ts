/**
 * The file that a backup is written to. It has a temporary name until all of it is on disk, so a file with the final
 * name is always complete. Small writes are buffered, and free disk space is checked regularly.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, lstat, open, rename, rm, statfs } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { getCode } from '../../platform/embedded-postgres/errors.ts';
import type { FileSystem } from '../../platform/config/reserve.ts';
import { BackupError } from './backup-error.ts';

const GATHERED_BYTES = 1024 * 1024;
const LOOK_EVERY_BYTES = 32 * 1024 * 1024;
/** Keeps the disk from being filled to its last block. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

export interface Output {
  /** Number of bytes written so far. */
  readonly position: number;
  /** Writes or copies the bytes before it resolves, so that the caller may reuse their memory. */
  write(bytes: Uint8Array): Promise<void>;
  /** Discards everything written after `position`. */
  cutTo(position: number): Promise<void>;
  /** Syncs the file to disk and gives it its final name. @throws BackupError if the name is taken */
  finish(): Promise<void>;
  /** Removes the unfinished file. Does nothing after `finish`. */
  discard(): Promise<void>;
}

export interface OutputOptions {
  /** Whether to replace an existing file. */
  force?: boolean;
  /** Returns the number of bytes to keep free on the disk. */
  keepFree?: (disk: FileSystem) => number;
}

const asFault = (error: unknown, path: string): unknown => {
  const code = getCode(error);
  if (['ENOSPC', 'EDQUOT'].includes(code)) return full(path);
  if (code === 'ENOENT') return new BackupError(`The folder ${dirname(path)} does not exist.`);
  if (code === '' || error instanceof BackupError) return error;
  return new BackupError(`${path} can't be written: ${(error as Error).message}`, { cause: error });
};
const full = (path: string): BackupError =>
  new BackupError(`The disk of ${path} is too full for the backup. Nothing was left behind.`);
const taken = (path: string): BackupError =>
  new BackupError(`${path} already exists. Use another name, or --force to replace it.`);

async function assertFree(path: string, force: boolean): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (getCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (found?.isDirectory()) throw new BackupError(`${path} is a folder. Specify a file.`);
  // Replacing a pipe, or as root even /dev/null, would turn it into a regular file.
  if (found && !found.isFile() && !found.isSymbolicLink())
    throw new BackupError(`${path} is not a regular file.`);
  if (found && !force) throw taken(path);
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}

/** @throws BackupError */
export async function openOutput(given: string, options: OutputOptions = {}): Promise<Output> {
  const { force = false, keepFree = () => 0 } = options;
  const path = resolve(given);
  const folder = dirname(path);
  const partial = join(folder, `${basename(path)}.partial-${randomBytes(6).toString('hex')}`);
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw asFault(error, path);
    }
  };
  const handle = await guarded(async () => {
    await assertFree(path, force);
    return await open(partial, 'wx', 0o600);
  });
  const gathered = Buffer.allocUnsafeSlow(GATHERED_BYTES);
  let held = 0;
  let written = 0;
  let lookAt = 0;
  let isOpen = true;

  const requireRoom = async (): Promise<void> => {
    if (written < lookAt) return;
    lookAt = written + LOOK_EVERY_BYTES;
    const disk = await statfs(folder);
    const kept = Math.max(MIN_FREE_BYTES, keepFree(disk));
    if (disk.bavail * disk.bsize - LOOK_EVERY_BYTES < kept) throw full(path);
  };
  const put = async (bytes: Uint8Array): Promise<void> => {
    await requireRoom();
    await writeAll(handle, bytes, written);
    written += bytes.length;
  };
  const flush = async (): Promise<void> => {
    if (held === 0) return;
    const bytes = gathered.subarray(0, held);
    held = 0;
    await put(bytes);
  };
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  };
  /** Without `force`, the name must still be free at this point. */
  const place = async (): Promise<void> => {
    if (force) return await rename(partial, path);
    try {
      await link(partial, path);
    } catch (error) {
      if (getCode(error) === 'EEXIST') throw taken(path);
      if (!NO_LINKS.includes(getCode(error))) throw error;
      return await rename(partial, path); // the file system has no hard links
    }
    await rm(partial);
  };

  return {
    get position() {
      return written + held;
    },
    write: (bytes) =>
      guarded(async () => {
        if (bytes.length > gathered.length - held) await flush();
        if (bytes.length > gathered.length) return await put(bytes);
        gathered.set(bytes, held);
        held += bytes.length;
      }),
    cutTo: (position) =>
      guarded(async () => {
        await flush();
        await handle.truncate(position);
        written = position;
      }),
    finish: () =>
      guarded(async () => {
        await flush();
        await handle.sync();
        await close();
        await place();
        const entries = await open(folder, 'r');
        await entries.sync().finally(() => entries.close());
      }),
    async discard() {
      await close();
      await rm(partial, { force: true });
    },
  };
}
