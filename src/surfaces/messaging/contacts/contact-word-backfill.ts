/**
 * Stores the words of contacts that an earlier release wrote, so that search finds them. Runs once after migration
 * 0032. A second pass a day later includes what nodes of the earlier release wrote or deleted during the upgrade. An
 * interrupted pass starts again.
 */
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import * as store from './contact-word-backfill.system-store.ts';
import { updateWords } from './contact-words.store.ts';

const BATCH = 500;
/** By then no node of the earlier release should run any more. */
const LAST_PASS_AFTER_SECONDS = 24 * 3600;

/** Enqueues both passes if the upgrade to this release requires them. May be called at each start. */
export async function enqueueWordBackfill(units: Units): Promise<void> {
  if (!(await store.isBackfillPending(units.read.db))) return;
  await units.write(async ({ db, jobs }) => {
    if (!(await store.claimBackfill(db))) return;
    await jobs.enqueue(db, 'contacts.words', { last: false });
    await jobs.enqueue(db, 'contacts.words', { last: true }, { afterSeconds: LAST_PASS_AFTER_SECONDS });
  });
}

/** Stores the words of all contacts. @throws if `signal` ends it early */
export async function backfillWords(
  units: Units,
  { last }: { last: boolean },
  signal?: AbortSignal,
): Promise<void> {
  let after: store.ContactKey | undefined = { workspace_id: FIRST_UUID, id: FIRST_UUID };
  while (after) {
    signal?.throwIfAborted();
    const from: store.ContactKey = after;
    after = await units.write(async ({ db }) => {
      const contacts = await store.lockContactsAfter(db, from, BATCH);
      for (const [workspaceId, ofWorkspace] of Map.groupBy(contacts, (one) => one.workspace_id))
        await updateWords(
          db,
          workspaceId,
          ofWorkspace.map(({ id }) => id),
        );
      return contacts.at(-1);
    });
  }
  if (!last) return;
  await units.write(({ db }) => store.deleteOrphanedWords(db));
  await store.endBackfill(units.read.db);
}
