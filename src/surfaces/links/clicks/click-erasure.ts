/**
 * What is kept of the clicks of a deleted link goes with it: by a job, which the deletion enqueues. The sums of its
 * workspace and domain stay.
 *
 * A loader may have found the link just before. So the job waits until the transactions that were loading when it
 * began are over: later ones see that the link is gone, and drop its clicks.
 */
import { inBatches } from '../../../platform/db/batches.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Unit } from '../../../core/unit-of-work.ts';
import { CLICK_TABLES, deleteOfLink } from './click-erasure.store.ts';
import { listJournals, waitForLoader } from './load.system-store.ts';

const BATCH = 2_000;
const LINKS_A_JOB = 1_000;

/** For the transaction that deletes the links. */
export async function linksDeleted(
  unit: Unit,
  workspaceId: string,
  linkIds: readonly string[],
): Promise<void> {
  for (let from = 0; from < linkIds.length; from += LINKS_A_JOB)
    await unit.jobs.enqueue(unit.db, 'links.erase', {
      workspaceId,
      linkIds: linkIds.slice(from, from + LINKS_A_JOB),
    });
}

/**
 * Waits until what loads clicks now is over: then all that loads knows which links and workspaces are deleted by now,
 * and drops their clicks.
 */
export async function waitForLoaders(db: Database): Promise<void> {
  for (const journalId of await listJournals(db)) await waitForLoader(db, journalId);
}

/** Performs the job `links.erase`; may be run again. */
export async function eraseClicks(
  db: Database,
  { workspaceId, linkIds }: { workspaceId: string; linkIds: string[] },
  signal?: AbortSignal,
): Promise<void> {
  await waitForLoaders(db);
  for (const linkId of linkIds)
    for (const table of CLICK_TABLES) {
      await inBatches(BATCH, (max) => deleteOfLink(db, workspaceId, linkId, table, max), signal);
      signal?.throwIfAborted();
    }
}
