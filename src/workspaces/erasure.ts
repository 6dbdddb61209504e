/**
 * Erasing a deleted workspace. Deleting enqueues `workspaces.erase`; a sweep each hour takes up what a lost job left.
 *
 * The job begins ERASE_AFTER_SECONDS late: by then every node has refused the workspace's keys and sessions for long,
 * nothing in flight can commit, and what is counted in batches is written. So nothing comes after the erasure.
 * It may be stopped and started again at any point; what lies outside the database goes after the rows that name it,
 * the workspace's own row last.
 */
import { inBatches } from '../db/batches.ts';
import type { Database } from '../db/database.ts';
import { createAttempts } from '../jobs/attempts.ts';
import { deleteAllOf } from '../jobs/job-traces.store.ts';
import * as store from './erasure.system-store.ts';

export const ERASE_AFTER_SECONDS = 60;
const BATCH = 5_000;

/** Waits for what may still write for a workspace that it saw before it was deleted, however long ago. */
export type Settle = (db: Database) => Promise<void>;

/** Removes what a workspace has outside the database; may be called again. */
export type EraseFiles = (workspaceId: string) => Promise<void>;

const deleteAll = (db: Database, table: string, workspaceId: string): Promise<number> =>
  inBatches(BATCH, (most) => store.deleteBatch(db, table, workspaceId, most));

/**
 * Deletes every row of a deleted workspace, in batches; performs the job `workspaces.erase`.
 * @throws Error when the workspace is not deleted.
 */
export async function eraseWorkspace(
  db: Database,
  workspaceId: string,
  eraseFiles?: EraseFiles,
  settle?: Settle,
): Promise<void> {
  const deletedAt = await store.deletedAt(db, workspaceId);
  if (deletedAt === undefined) return;
  if (deletedAt === null) throw new Error(`workspace ${workspaceId} is not deleted, so it is not erased`);
  await settle?.(db);
  await store.deleteRateBuckets(db, workspaceId);
  for (;;) {
    // Rows may move from one table to another meanwhile (outbox to events): only a pass without any is the last.
    let deleted = 0;
    for (const table of await store.tenantTables(db)) deleted += await deleteAll(db, table, workspaceId);
    if (deleted === 0) break;
  }
  await eraseFiles?.(workspaceId);
  // Its jobs with it, the one that does this among them: what has no workspace any more has nothing to do.
  await db.transaction().execute(async (tx) => {
    await deleteAllOf(tx, workspaceId);
    await store.deleteWorkspaceRow(tx, workspaceId);
  });
}

/**
 * Erases all that should have been by now. To be scheduled each hour.
 * @returns how many workspaces. @throws once all were tried, where any failed
 */
export async function eraseDeletedWorkspaces(
  db: Database,
  now: Date,
  eraseFiles?: EraseFiles,
  settle?: Settle,
): Promise<number> {
  const ids = await store.workspacesToErase(db, new Date(now.getTime() - ERASE_AFTER_SECONDS * 1000));
  const attempts = createAttempts();
  for (const id of ids) await attempts.make(() => eraseWorkspace(db, id, eraseFiles, settle));
  attempts.end();
  return ids.length;
}
