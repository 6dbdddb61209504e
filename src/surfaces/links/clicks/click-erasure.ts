/**
 * Deletes the click data of deleted links in a job that the deletion enqueues. Totals of workspace and domain are kept.
 *
 * A loader may have read the link just before its deletion. The job therefore waits for the loading transactions that
 * are open when it begins. Later ones see that the link is gone and drop its clicks.
 */
import type { Database } from '../../../platform/db/database.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { performInTurn, UNSHARED } from '../../../platform/jobs/turn.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { CLICK_TABLES, deleteOfLink } from './click-erasure.store.ts';
import { listJournals, waitForLoader } from '../../../platform/journal/journals.system-store.ts';

const BATCH = 2_000;
const LINKS_PER_JOB = 1_000;

/** Enqueues the deletion of click data. Runs in the transaction that deletes the links. */
export async function linksDeleted(
  unit: Unit,
  workspaceId: string,
  linkIds: readonly string[],
): Promise<void> {
  for (let from = 0; from < linkIds.length; from += LINKS_PER_JOB)
    await unit.jobs.enqueue(unit.db, 'links.erase', {
      workspaceId,
      linkIds: linkIds.slice(from, from + LINKS_PER_JOB),
    });
}

/**
 * Waits for all open loading transactions. Later ones see which links and workspaces are deleted by now and drop their
 * clicks.
 */
export async function waitForLoaders(db: Database): Promise<void> {
  for (const journalId of await listJournals(db)) await waitForLoader(db, journalId);
}

/** Executes the job `links.erase`. Can be repeated. @returns the payload of its next turn */
export async function eraseClicks(
  db: Database,
  payload: JobPayloads['links.erase'],
  turn = UNSHARED,
): Promise<typeof payload | void> {
  const { workspaceId, linkIds } = payload;
  await waitForLoaders(db);
  for (const linkId of linkIds)
    for (const table of CLICK_TABLES) {
      const deleteBatch = async (): Promise<boolean> =>
        (await deleteOfLink(db, workspaceId, linkId, table, BATCH)) === BATCH;
      if (!(await performInTurn(turn, deleteBatch))) return payload;
    }
}
