/**
 * Erasing a deleted workspace. Deleting enqueues `workspaces.erase`; a sweep each hour takes up what a lost job left.
 *
 * The job begins ERASE_AFTER_SECONDS late: by then every node has refused the workspace's keys and sessions for long,
 * no request in flight can commit, and what is counted in batches is written. Jobs may take hours. So once no row is
 * left, the erasure waits for whatever began before that: what begins later finds nothing to write about. Only where
 * nothing was left by what it waited for, it ends. It may be stopped and started again at any point; what lies outside
 * the database goes after the rows that name it, the workspace's own row last.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../platform/db/database.ts';
import { createAttempts } from '../../platform/jobs/attempts.ts';
import { deleteAllFor } from '../jobs/job-erasure.store.ts';
import * as store from './erasure.system-store.ts';

export const ERASE_AFTER_SECONDS = 60;
const BATCH = 5_000;
/** How long one erasure waits for what is under way. What takes longer, the next sweep looks for. */
const PATIENCE_MS = 30_000;
/** A sweep waits as long for all of them, but each has this: a backup of hours is under way for every one. */
const MIN_PATIENCE_MS = 1_000;
const LOOK_MS = 250;

/** Waits for what may still write for a workspace that it saw before it was deleted, however long ago. */
export type Complete = (db: Database) => Promise<void>;

/** Removes what a workspace has outside the database; may be called again. */
export type EraseFiles = (workspaceId: string) => Promise<void>;

/** Deletes all rows, table by table, until a moment at which there are none. @returns how many there were */
async function deleteRows(db: Database, workspaceId: string): Promise<number> {
  let total = 0;
  for (;;) {
    const tables = await store.tenantTables(db);
    for (const table of tables)
      for (;;) {
        const seen = await store.deleteBatch(db, table, workspaceId, BATCH);
        total += seen;
        if (seen === 0) break;
      }
    // Rows may have moved from a table that was still to come to one that was done (outbox to events).
    if (!(await store.hasRows(db, tables, workspaceId))) return total;
  }
}

/** @returns false where something was still under way when the time was up */
async function waitForOthers(db: Database, workspaceId: string, until: number): Promise<boolean> {
  const before = await store.databaseNow(db);
  while (await store.isUnderWay(db, workspaceId, before)) {
    if (performance.now() > until) return false;
    await sleep(LOOK_MS);
  }
  return true;
}

/**
 * Deletes every row of a deleted workspace, in batches; performs the job `workspaces.erase`. The workspace's own row
 * and its jobs stay for the next sweep where something is under way for longer than `patienceMs`.
 * @throws Error when the workspace is not deleted.
 */
export async function eraseWorkspace(
  db: Database,
  workspaceId: string,
  eraseFiles?: EraseFiles,
  flush?: Complete,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deletedAt = await store.deletedAt(db, workspaceId);
  if (deletedAt === undefined) return;
  if (deletedAt === null) throw new Error(`workspace ${workspaceId} is not deleted, so it is not erased`);
  await flush?.(db);
  await store.deleteRateBuckets(db, workspaceId);
  await deleteRows(db, workspaceId);
  await eraseFiles?.(workspaceId);
  // Not sooner: deleting many rows takes longer than this anyway.
  const until = performance.now() + patienceMs;
  do if (!(await waitForOthers(db, workspaceId, until))) return;
  while ((await deleteRows(db, workspaceId)) > 0);
  // What was under way may have brought a file too.
  await eraseFiles?.(workspaceId);
  // Its jobs with it, the one that does this among them: what has no workspace any more has nothing to do.
  await db.transaction().execute(async (tx) => {
    await deleteAllFor(tx, workspaceId);
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
  flush?: Complete,
): Promise<number> {
  const ids = await store.workspacesToErase(db, new Date(now.getTime() - ERASE_AFTER_SECONDS * 1000));
  const patienceMs = Math.max(MIN_PATIENCE_MS, PATIENCE_MS / ids.length);
  const attempts = createAttempts();
  for (const id of ids) await attempts.make(() => eraseWorkspace(db, id, eraseFiles, flush, patienceMs));
  attempts.end();
  return ids.length;
}
