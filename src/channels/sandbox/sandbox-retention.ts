/** Deletes old rows of the sandbox server. Run hourly. */
import { deleteBefore, inBatches } from '../../platform/db/batches.ts';
import type { Database } from '../../platform/db/database.ts';
import { deleteAbandonedGroups } from './account/group.system-store.ts';

const HOUR_MS = 3_600_000;
const BATCH = 5_000;
/** Sent messages: twice as long as they can be edited, and far longer than anything is retried. */
const SENT_HOURS = 48;
/** Signals that were never received, because the account was deleted or not connected. */
const INBOX_HOURS = 30 * 24;
/** Groups without accounts. */
const GROUP_HOURS = INBOX_HOURS;
/** As long as the messages that refer to them. */
const FILE_HOURS = INBOX_HOURS;

export async function deleteOldSandboxRows(db: Database, now: Date, signal?: AbortSignal): Promise<number> {
  const before = (table: string, column: string, hours: number): Promise<number> =>
    inBatches(
      BATCH,
      (max) => deleteBefore(db, table, column, new Date(now.getTime() - hours * HOUR_MS), max),
      signal,
    );
  return (
    (await before('sandbox_sent', 'taken_at', SENT_HOURS)) +
    (await before('sandbox_inbox', 'due_at', INBOX_HOURS)) +
    (await before('sandbox_files', 'created_at', FILE_HOURS)) +
    (await inBatches(
      BATCH,
      (max) => deleteAbandonedGroups(db, new Date(now.getTime() - GROUP_HOURS * HOUR_MS), max),
      signal,
    ))
  );
}
