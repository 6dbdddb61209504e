/**
 * Stores media in a local directory, DATA_DIR/media. Received files are written to `incoming/<uuid>`, synced, and
 * renamed.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  getPieces,
  assertDiskSpace,
  type DiskSpaceRules,
  DEFAULT_DISK_SPACE_RULES,
  writeIncoming,
  toWriteError,
} from './incoming.ts';
import { getKey, type MediaFiles, UUID } from './media-files.ts';

const PART = /^[0-9a-f]{2}$/;
const SHA256 = /^[0-9a-f]{64}$/;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Lists the entries of a folder; empty if the folder does not exist. */
async function* getEntries(path: string, named: RegExp): AsyncGenerator<string> {
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

/**
 * @param root folder, created when the first file is received
 * @param rules minimum free disk space
 */
export function createLocalFiles(root: string, rules: DiskSpaceRules = DEFAULT_DISK_SPACE_RULES): MediaFiles {
  const incoming = join(root, 'incoming');
  const getPath = (workspaceId: string, sha256: string): string => join(root, getKey(workspaceId, sha256));

  return {
    async receive(bytes, announced) {
      await mkdir(incoming, { recursive: true, mode: 0o700 });
      await assertDiskSpace(root, announced, rules);
      const path = join(incoming, randomUUID());
      const handle = await open(path, 'wx', 0o600);
      const discard = (): Promise<void> => rm(path, { force: true });
      try {
        const written = await writeIncoming(handle, bytes);
        await handle.sync();
        return {
          ...written,
          discard,
          bring: async () => undefined,
          async adopt(workspaceId) {
            const target = getPath(workspaceId, written.sha256.toString('hex'));
            const made = await mkdir(dirname(target), { recursive: true, mode: 0o700 });
            await rename(path, target);
            await syncFolder(dirname(target));
            if (made === undefined) return;
            for (const folder of [join(root, workspaceId), root, dirname(root)]) await syncFolder(folder);
          },
        };
      } catch (error) {
        await discard();
        throw toWriteError(error);
      } finally {
        await handle.close();
      }
    },
    async read(workspaceId, sha256, span) {
      try {
        const handle = await open(getPath(workspaceId, sha256.toString('hex')), 'r');
        return {
          [Symbol.asyncIterator]: () => getPieces(handle, span),
          close: () => handle.close(),
        };
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    remove: (workspaceId, sha256) => rm(getPath(workspaceId, sha256), { force: true }),
    removeWorkspace: (workspaceId) => rm(join(root, workspaceId), { recursive: true, force: true }),
    async removeIncoming(before) {
      let removed = 0;
      for await (const name of getEntries(incoming, UUID)) {
        const path = join(incoming, name);
        if (!(await isOlder(path, before))) continue;
        await rm(path, { force: true });
        removed += 1;
      }
      return removed;
    },
    async *storedBefore(before) {
      for await (const workspaceId of getEntries(root, UUID))
        for await (const part of getEntries(join(root, workspaceId), PART))
          for await (const sha256 of getEntries(join(root, workspaceId, part), SHA256))
            if (await isOlder(join(root, workspaceId, part, sha256), before)) yield { workspaceId, sha256 };
    },
    close: async () => undefined,
  };
}
