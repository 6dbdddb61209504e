/**
 * Uploads media files from DATA_DIR to the store at S3_URL under the same names. May run while the server is running,
 * and may be repeated: existing files are skipped. Deletes nothing.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalFiles } from '../../surfaces/messaging/media/local-files.ts';
import { getKey } from '../../surfaces/messaging/media/media-files.ts';
import type { S3Client } from '../../platform/storage/s3/s3-client.ts';

/** Concurrent uploads. */
const PARALLEL = 4;

export interface MovedMedia {
  sent: number;
  /** Number of files that the store already had. */
  there: number;
  bytes: number;
  /** Names of files whose contents don't match their hash. They are not uploaded. */
  damaged: string[];
}

async function toSha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/**
 * @param root DATA_DIR/media
 * @param report called after each file
 * @throws any error of the store
 */
export async function moveMedia(
  root: string,
  client: Pick<S3Client, 'getSize' | 'put'>,
  report: (moved: MovedMedia) => void = () => undefined,
): Promise<MovedMedia> {
  const moved: MovedMedia = { sent: 0, there: 0, bytes: 0, damaged: [] };
  const files = createLocalFiles(root);
  const bring = async (workspaceId: string, sha256: string): Promise<void> => {
    const key = getKey(workspaceId, sha256);
    const path = join(root, key);
    const size = await stat(path).then(
      (found) => found.size,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null; // deleted after it was listed
        throw error;
      },
    );
    if (size === null) return;
    if ((await client.getSize(key)) === size) moved.there += 1;
    else if ((await toSha256(path)) !== sha256) moved.damaged.push(key);
    else {
      await client.put(key, { size, sha256, open: () => createReadStream(path) });
      moved.sent += 1;
      moved.bytes += size;
    }
    report(moved);
  };
  const all = files.storedBefore(new Date(Date.now() + 24 * 3600 * 1000))[Symbol.asyncIterator]();
  const walk = async (): Promise<void> => {
    for (;;) {
      const next = await all.next();
      if (next.done) return;
      await bring(next.value.workspaceId, next.value.sha256);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, walk));
  return moved;
}
