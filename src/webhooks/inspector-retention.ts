/** What inspectors received is kept for seven days. Scheduled each hour; may be stopped at any point. */
import type { Database } from '../db/database.ts';
import { deleteRequestsBefore } from './inspector.system-store.ts';

const KEPT_MS = 7 * 24 * 3600 * 1000;
const BATCH = 500;

/** @returns how many requests were deleted. */
export async function deleteOldInspectorRequests(
  db: Database,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS);
  let total = 0;
  for (;;) {
    const deleted = await deleteRequestsBefore(db, before, BATCH);
    total += deleted;
    if (deleted < BATCH || signal?.aborted) return total;
  }
}
