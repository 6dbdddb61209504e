/** Restores the parts of a backup outside the database: click journals, media contents and the key file. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { keyFilePath } from '../../platform/crypto/key-file.ts';
import { journalsFolder } from '../../surfaces/links/clicks/click-journal.ts';
import { segmentPath } from '../../platform/journal/segment.ts';
import type { MediaFiles } from '../../surfaces/messaging/media/media-files.ts';
import type { Archive, ArchivedMedia } from './archive.ts';
import { BackupError, damaged } from './backup-error.ts';

/** Number of files written concurrently, because each write waits for the disk or the object store. */
const PARALLEL = 6;

async function writeSynced(
  path: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(pieces);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Writes the journals without an owner; the next start adopts them. */
export async function restoreClicks(archive: Archive, dataDir: string, signal?: AbortSignal): Promise<void> {
  const root = journalsFolder(dataDir);
  const folders = new Set<string>();
  for (const { journal, segment, bytes } of archive.segments()) {
    signal?.throwIfAborted();
    const folder = join(root, journal);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeSynced(segmentPath(folder, segment), bytes());
    folders.add(folder);
  }
  for (const folder of folders) await syncFolder(folder);
  if (folders.size) for (const folder of [root, dataDir]) await syncFolder(folder);
}

/** Writes the installation's secrets to the key file. */
export async function restoreKeyFile(dataDir: string, secrets: readonly string[]): Promise<void> {
  const path = keyFilePath(dataDir);
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  await writeSynced(aside, [Buffer.from(secrets.map((secret) => `${secret}\n`).join(''))]);
  await rename(aside, path);
  await syncFolder(dataDir);
}

async function place(files: MediaFiles, { workspaceId, sha256, size, bytes }: ArchivedMedia): Promise<void> {
  const received = await files.receive(bytes(), size);
  try {
    if (received.sha256.toString('hex') !== sha256) throw damaged('a media file changed during the restore');
    await received.bring(workspaceId);
    await received.adopt(workspaceId);
  } finally {
    await received.discard();
  }
}

/** Writes all media contents durably to the store. @throws BackupError if the store fails */
export async function restoreMedia(
  archive: Archive,
  files: MediaFiles,
  report: (files: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const all = archive.media()[Symbol.asyncIterator]();
  let placed = 0;
  let failed = false;
  const work = async (): Promise<void> => {
    while (!failed) {
      signal?.throwIfAborted();
      const next = await all.next();
      if (next.done) return;
      await place(files, next.value);
      report(++placed);
    }
  };
  const attempt = (): Promise<void> =>
    work().catch((error: unknown) => {
      failed = true;
      throw error;
    });
  const outcomes = await Promise.allSettled(Array.from({ length: PARALLEL }, attempt));
  const fault = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!fault) return;
  if (signal?.aborted || fault.reason instanceof BackupError) throw fault.reason;
  throw new BackupError(`The media files could not be moved into place: ${(fault.reason as Error).message}`, {
    cause: fault.reason,
  });
}
