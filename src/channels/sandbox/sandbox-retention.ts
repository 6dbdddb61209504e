/** What the sandbox's server forgets. To be scheduled each hour. */
import { deleteBefore, inBatches } from '../../platform/db/batches.ts';
import type { Database } from '../../platform/db/database.ts';
import { deleteAbandonedGroups } from './groups/group-retention.system-store.ts';

const HOUR_MS = 3_600_000;
const BATCH = 5_000;
/** Sent messages: twice as long as they may be edited, and far longer than anything is sent again. */
const SENT_HOURS = 48;
/** What nobody fetched: the account is gone, or has not been connected for so long. */
const INBOX_HOURS = 30 * 24;
/** Groups that no account is in any more. */
const GROUP_HOURS = INBOX_HOURS;
/** As long as the message that has the file. */
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
