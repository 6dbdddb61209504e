/**
 * Removes leftovers of crashes: partially received files, and contents without a row (stored by a transaction that
 * never committed). Runs daily; iterates over the whole store and queries the database in batches of hundreds. Also
 * corrects the counted bytes.
 */
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { correctMediaBytes } from './media-bytes.system-store.ts';
import type { MediaFiles, StoredFile } from './media-files.ts';
import { collectContent } from './media.service.ts';
import { referredContents } from './media.store.ts';

/** Longer than any upload or transaction takes. */
const UNTOUCHED_MS = 3600 * 1000;
const BATCH = 500;

/** @returns the number of removed files */
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
