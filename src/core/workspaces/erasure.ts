/**
 * Erases a deleted workspace. Deletion enqueues `workspaces.erase`; an hourly sweep resumes lost jobs.
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
import type { JobPayloads } from '../../platform/jobs/job-queue.ts';
import { type JobTurn, performInTurn, UNSHARED } from '../../platform/jobs/turn.ts';
import { deleteAllFor } from '../jobs/job-erasure.store.ts';
import * as store from './erasure.system-store.ts';

export const ERASE_AFTER_SECONDS = 60;
const BATCH = 5_000;
/** Maximum time in ms that one erasure waits for running transactions. The next sweep handles longer ones. */
const PATIENCE_MS = 30_000;
/** A sweep waits as long for all of them, but each has this: a backup of hours is under way for every one. */
const MIN_PATIENCE_MS = 1_000;
const LOOK_MS = 250;

/** Waits for transactions that may still write for a workspace that they read before it was deleted. */
export type Complete = (db: Database) => Promise<void>;

/** Deletes a workspace's data outside the database; may be called again. */
export type EraseFiles = (workspaceId: string) => Promise<void>;

export interface WorkspaceErasureDeps {
  db: Database;
  eraseFiles?: EraseFiles;
  flush?: Complete;
  /** Maximum time in ms to wait for running transactions. Default: `PATIENCE_MS`. */
  patienceMs?: number;
}

/**
 * Deletes all rows, table by table, until none is left.
 * @returns the number of rows; null when the turn is over
 */
async function deleteRows(db: Database, workspaceId: string, turn: JobTurn): Promise<number | null> {
  let total = 0;
  for (;;) {
    const tables = await store.tenantTables(db);
    for (const table of tables) {
      const deleteBatch = async (): Promise<boolean> => {
        const seen = await store.deleteBatch(db, table, workspaceId, BATCH);
        total += seen;
        return seen > 0;
      };
      if (!(await performInTurn(turn, deleteBatch))) return null;
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
 * Deletes every row of a deleted workspace, in batches; executes the job `workspaces.erase`. The workspace's own row
 * and its jobs stay for the next sweep if transactions run for longer than `patienceMs`.
 * @returns the payload of its next turn
 * @throws Error when the workspace is not deleted, the reason of the turn's signal
 */
export async function eraseWorkspace(
  { db, eraseFiles, flush, patienceMs = PATIENCE_MS }: WorkspaceErasureDeps,
  payload: JobPayloads['workspaces.erase'],
  turn = UNSHARED,
): Promise<typeof payload | void> {
  const { workspaceId } = payload;
  const deletedAt = await store.deletedAt(db, workspaceId);
  if (deletedAt === undefined) return;
  if (deletedAt === null) throw new Error(`workspace ${workspaceId} is not deleted, so it is not erased`);
  await flush?.(db);
  await store.deleteRateBuckets(db, workspaceId);
  if ((await deleteRows(db, workspaceId, turn)) === null) return payload;
  await eraseFiles?.(workspaceId);
  // Not sooner: deleting many rows takes longer than this anyway.
  const until = performance.now() + patienceMs;
  for (let seen: number | null = 1; seen > 0;) {
    if (!(await waitForOthers(db, workspaceId, until))) return;
    seen = await deleteRows(db, workspaceId, turn);
    if (seen === null) return payload;
  }
  // Those transactions may have added files too.
  await eraseFiles?.(workspaceId);
  // Its jobs are deleted with it, including the current one: jobs without a workspace have nothing to do.
  await db.transaction().execute(async (tx) => {
    await deleteAllFor(tx, workspaceId);
    await store.deleteWorkspaceRow(tx, workspaceId);
  });
}

/**
 * Erases all that should have been by now. To be scheduled each hour.
 * @returns how many workspaces. @throws once all were tried, where any failed
 */
export async function eraseDeletedWorkspaces(deps: WorkspaceErasureDeps, now: Date): Promise<number> {
  const ids = await store.workspacesToErase(deps.db, new Date(now.getTime() - ERASE_AFTER_SECONDS * 1000));
  const patienceMs = Math.max(MIN_PATIENCE_MS, PATIENCE_MS / ids.length);
  const attempts = createAttempts();
  for (const id of ids)
    await attempts.make(() => eraseWorkspace({ ...deps, patienceMs }, { workspaceId: id }));
  attempts.end();
  return ids.length;
}
