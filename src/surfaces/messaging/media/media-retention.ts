/**
 * Deletes expired media each hour, according to their workspace's retention: rows in small transactions, and after each
 * one the contents that no row refers to any more. The sweep removes what a crash leaves between the two.
 */
import type { Database } from '../../../platform/db/database.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { type Batch, deleteInBatches, getFirstRetainedId } from '../records/retention.ts';
import type { Retention } from '../records/retention.system-store.ts';
import type { MediaFiles } from './media-files.ts';
import { collectContent } from './media.service.ts';
import { deleteMediaBefore } from './media.store.ts';

const BATCH = 200;
/** Contents removed per batch. */
const PARALLEL = 4;

async function deleteBatch(units: Units, files: MediaFiles, retention: Retention, now: Date): Promise<Batch> {
  const { workspaceId } = retention;
  const before = getFirstRetainedId(retention, now);
  const deleted = await units.write((unit) => deleteMediaBefore(unit.db, workspaceId, before, BATCH));
  const contents = [...new Set(deleted.flatMap((sha256) => sha256?.toString('hex') ?? []))];
  for (let at = 0; at < contents.length; at += PARALLEL)
    await Promise.all(
      contents
        .slice(at, at + PARALLEL)
        .map((sha256) => units.write((unit) => collectContent(unit, files, workspaceId, sha256))),
    );
  return { deleted: deleted.length, isMore: deleted.length === BATCH };
}

/** Must be scheduled each hour; may be stopped at any point. @returns the number of deleted media */
export const deleteOldMedia = (
  db: Database,
  units: Units,
  files: MediaFiles,
  now: Date,
  signal?: AbortSignal,
): Promise<number> =>
  deleteInBatches(
    db,
    'media_retention_days',
    (retention) => deleteBatch(units, files, retention, now),
    signal,
  );
