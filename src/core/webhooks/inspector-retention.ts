/** Deletes requests received by inspectors after seven days. Scheduled each hour; may be stopped at any point. */
import { deleteBefore, inBatches } from '../../platform/db/batches.ts';
import type { Database } from '../../platform/db/database.ts';

const KEPT_MS = 7 * 24 * 3600 * 1000;
/** Few, since each may have a body of 256 KiB. */
const BATCH = 500;

/** @returns how many requests were deleted. */
export function deleteOldInspectorRequests(db: Database, now: Date, signal?: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS);
  return inBatches(BATCH, (max) => deleteBefore(db, 'inspector_requests', 'created_at', before, max), signal);
}
