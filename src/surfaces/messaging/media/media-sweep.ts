/**
 * Removes what a crash left: files that were being received, and contents without a row (put in place by a
 * transaction that never ended). Each day; it walks the whole store, and asks the database by hundreds. Corrects the
 * counted bytes as well.
 */
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { correctMediaBytes } from './media-bytes.system-store.ts';
import type { MediaFiles, StoredFile } from './media-files.ts';
import { collectContent } from './media.service.ts';
import { referredContents } from './media.store.ts';

/** No upload and no transaction takes so long. */
const UNTOUCHED_MS = 3600 * 1000;
const BATCH = 500;

/** @returns how many files were removed */
export async function sweepMedia(
  units: Units,
  files: MediaFiles,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const before = new Date(now.getTime() - UNTOUCHED_MS);
  let removed = await files.removeIncoming(before);
  let batch: StoredFile[] = [];
  const settle = async (): Promise<void> => {
    for (const [workspaceId, group] of Map.groupBy(batch, (file) => file.workspaceId)) {
      const contents = group.map(({ sha256 }) => sha256);
      const known = await referredContents(units.read.db, workspaceId, contents);
      for (const sha256 of contents.filter((one) => !known.has(one)))
        if ((await units.write((unit) => collectContent(unit, files, workspaceId, sha256))) === 'removed')
          removed += 1;
    }
    batch = [];
  };
  for await (const file of files.storedBefore(before)) {
    if (signal?.aborted) break;
    batch.push(file);
    if (batch.length === BATCH) await settle();
  }
  await settle();
  await correctMediaBytes(units.read.db);
  return removed;
}
