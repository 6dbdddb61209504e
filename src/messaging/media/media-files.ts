/**
 * The bytes of media, below DATA_DIR/media, once for each content of a workspace:
 *
 *     incoming/<uuid>                          being received
 *     <workspace>/<first two of sha256>/<sha256>   whole
 *
 * A file is received aside, synced, and renamed within the transaction that writes its row, so a name that is there
 * holds all of its bytes. What a crash leaves, aside or without a row, a sweep removes (media-sweep.ts). Whoever
 * renames or removes a content holds its lock in the database (media.store.ts).
 */
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, opendir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Problem } from '../../http/problem.ts';
import { type ReceivedFile, tooLarge } from '../../http/upload.ts';
import { collectYoungGarbage } from './young-garbage.ts';

export const MOST_BYTES = 64 * 1024 * 1024;
/** What is looked at to tell a type. */
const HEAD_BYTES = 32 * 1024;
/** Part of the disk that stays free. */
const KEPT_FREE = 0.05;
/** Bytes received between collections of what they leave. */
const COLLECT_EVERY = 4 * 1024 * 1024;

export interface ReceivedMedia extends ReceivedFile {
  /** The first bytes, 32 KiB at most. */
  head: Buffer;
  /** Makes it the workspace's, durably. Only under the content's lock. */
  adopt(workspaceId: string): Promise<void>;
}

export interface StoredFile {
  workspaceId: string;
  /** Hexadecimal. */
  sha256: string;
}

export interface MediaFiles {
  /**
   * @param announced bytes that will come, where they are known
   * @throws Problem payload_too_large, storage_full; or what the stream throws. Nothing is left then.
   */
  receive(bytes: AsyncIterable<Buffer>, announced: number | null): Promise<ReceivedMedia>;
  /** @returns null where it is not there; the caller closes it. */
  open(workspaceId: string, sha256: Buffer): Promise<FileHandle | null>;
  /** Only under the content's lock. */
  remove(workspaceId: string, sha256: string): Promise<void>;
  removeWorkspace(workspaceId: string): Promise<void>;
  /** Deletes what was being received before that time. @returns how many */
  removeIncoming(before: Date): Promise<number>;
  /** Contents that have lain there since before that time. */
  storedBefore(before: Date): AsyncIterable<StoredFile>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PART = /^[0-9a-f]{2}$/;
const SHA256 = /^[0-9a-f]{64}$/;

type Room = { bavail: number; blocks: number; bsize: number };

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
const storageFull = (): Problem =>
  new Problem('storage_full', 'The disk of this server is nearly full, so that it takes no files now.');

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The entries of a folder that may not be there (any more). */
async function* entriesOf(path: string, named: RegExp): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(path)) if (named.test(name)) yield name;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function isOlder(path: string, before: Date): Promise<boolean> {
  try {
    return (await stat(path)).mtime < before;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Writes what comes. @throws Problem payload_too_large */
async function write(handle: FileHandle, bytes: AsyncIterable<Buffer>) {
  const hash = createHash('sha256');
  const head = Buffer.alloc(HEAD_BYTES);
  let size = 0;
  for await (const chunk of bytes) {
    if (size + chunk.length > MOST_BYTES) throw tooLarge(MOST_BYTES);
    if (size < HEAD_BYTES) chunk.copy(head, size);
    hash.update(chunk);
    size += chunk.length;
    for (let at = 0; at < chunk.length;) at += (await handle.write(chunk, at)).bytesWritten;
    if (Math.floor(size / COLLECT_EVERY) > Math.floor((size - chunk.length) / COLLECT_EVERY))
      collectYoungGarbage();
  }
  await handle.sync();
  return { size, sha256: hash.digest(), head: head.subarray(0, size) };
}

/**
 * @param root the folder; made when the first file comes
 * @param roomOf for tests: the answer of the file system
 */
export function createMediaFiles(root: string, roomOf: (path: string) => Promise<Room> = statfs): MediaFiles {
  const incoming = join(root, 'incoming');
  const pathOf = (workspaceId: string, sha256: string): string =>
    join(root, workspaceId, sha256.slice(0, 2), sha256);

  const requireRoom = async (bytes: number): Promise<void> => {
    const { bavail, blocks, bsize } = await roomOf(root);
    if (bavail * bsize - bytes < blocks * bsize * KEPT_FREE) throw storageFull();
  };

  return {
    async receive(bytes, announced) {
      await mkdir(incoming, { recursive: true, mode: 0o700 });
      await requireRoom(Math.min(announced ?? 0, MOST_BYTES));
      const path = join(incoming, randomUUID());
      const handle = await open(path, 'wx', 0o600);
      const discard = (): Promise<void> => rm(path, { force: true });
      try {
        const written = await write(handle, bytes);
        return {
          ...written,
          discard,
          async adopt(workspaceId) {
            const target = pathOf(workspaceId, written.sha256.toString('hex'));
            const made = await mkdir(dirname(target), { recursive: true, mode: 0o700 });
            await rename(path, target);
            await syncFolder(dirname(target));
            if (made === undefined) return;
            for (const folder of [join(root, workspaceId), root, dirname(root)]) await syncFolder(folder);
          },
        };
      } catch (error) {
        await discard();
        throw isFull(error) ? storageFull() : error;
      } finally {
        await handle.close();
      }
    },
    async open(workspaceId, sha256) {
      try {
        return await open(pathOf(workspaceId, sha256.toString('hex')), 'r');
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    remove: (workspaceId, sha256) => rm(pathOf(workspaceId, sha256), { force: true }),
    removeWorkspace: (workspaceId) => rm(join(root, workspaceId), { recursive: true, force: true }),
    async removeIncoming(before) {
      let removed = 0;
      for await (const name of entriesOf(incoming, UUID)) {
        const path = join(incoming, name);
        if (!(await isOlder(path, before))) continue;
        await rm(path, { force: true });
        removed += 1;
      }
      return removed;
    },
    async *storedBefore(before) {
      for await (const workspaceId of entriesOf(root, UUID))
        for await (const part of entriesOf(join(root, workspaceId), PART))
          for await (const sha256 of entriesOf(join(root, workspaceId, part), SHA256))
            if (await isOlder(join(root, workspaceId, part, sha256), before)) yield { workspaceId, sha256 };
    },
  };
}
