/**
 * Taking all that is left of an erased contact away: performs the job `contacts.forget`. Each surface takes out of its own
 * rows what it keeps; here stands their order alone.
 *
 * Messages, links and publications come first, since what is written of them until then is in the log. What the log tells is emptied next,
 * and what hangs on its events after that. Work that was under way at the erasure (an attempt of a delivery, a step of a rule,
 * a request) may still write for as long as its own time limit: so all is looked at once more, LATE_SECONDS later. Then
 * nobody has to know any more whom to look for. Each part may be run again from its beginning, so a job that died is.
 */
import type { SecretBox } from '../platform/crypto/secret-box.ts';
import type { Database } from '../platform/db/database.ts';
import type { Units } from '../core/unit-of-work.ts';
import { getErasure, removeErasure, saveProgress } from '../core/events/erasure/erasure.store.ts';
import { erasuresBefore } from '../core/events/erasure/erasure.system-store.ts';
import { eraseStoredAnswersFor } from '../core/events/erasure/stored-answers.ts';
import { walkLog } from '../core/events/erasure/log-walk.ts';
import type { ErasedPerson } from '../core/events/erasure/person.ts';
import { createAttempts } from '../platform/jobs/attempts.ts';
import type { JobPayloads } from '../platform/jobs/job-queue.ts';
import { eraseJobsFor } from '../core/jobs/job-erasure.ts';
import { deleteUnopenedHeads } from '../ops/secret-rotation/unopened-heads.ts';
import { type DeleteUnopened, eraseDeliveriesFor } from '../core/webhooks/delivery-erasure.ts';

/** Longer than anything may be under way: a step that asks a model takes a minute. */
const LATE_SECONDS = 120;
/** What is not done by then was given up, or lost. */
const LEFT_MS = 3600 * 1000;
const MAX_LEFT = 100;

/** Takes a contact out of the rows of a surface. May be run again; throws where `signal` ends it early. */
type Forget = (person: ErasedPerson, signal?: AbortSignal) => Promise<void>;

export interface ContactErasureDeps {
  db: Database;
  units: Units;
  secrets: SecretBox;
  messaging: { forgetContact: Forget };
  links: { forgetContact: Forget };
  automation: { forgetPublications: Forget; forgetRuns: Forget };
  /** Waits for what loads clicks: it may tell of a link as it was. */
  flush: (db: Database) => Promise<void>;
}

/** Performs the job `contacts.forget`; does nothing where it is done. @throws where `signal` ends it early */
export async function eraseContactData(
  deps: ContactErasureDeps,
  { workspaceId, erasureId }: JobPayloads['contacts.forget'],
  signal?: AbortSignal,
): Promise<void> {
  const { db, units, secrets, messaging, links, automation, flush } = deps;
  const erasure = await getErasure(db, workspaceId, erasureId);
  if (!erasure) return;
  await messaging.forgetContact(erasure, signal);
  await links.forgetContact(erasure, signal);
  await automation.forgetPublications(erasure, signal);
  await flush(db);
  await walkLog(units, erasure, signal);
  const deleteUnopened: DeleteUnopened = (...heads) => deleteUnopenedHeads({ db, secrets }, ...heads);
  await eraseDeliveriesFor(units, secrets, deleteUnopened, erasure, signal);
  await automation.forgetRuns(erasure, signal);
  await eraseStoredAnswersFor(units, erasure);
  await eraseJobsFor(units, erasure);
  if (erasure.looks > 0) return removeErasure(db, workspaceId, erasureId);
  await units.write(async (unit) => {
    // With its workspace it is gone, and so is all that there was to look at.
    if (!(await saveProgress(unit.db, workspaceId, erasureId, { looks: 1 }))) return;
    const payload = { workspaceId, erasureId };
    await unit.jobs.enqueue(unit.db, 'contacts.forget', payload, { afterSeconds: LATE_SECONDS });
  });
}

/**
 * Takes up what lost or failed jobs left. To be scheduled each hour.
 * @throws once all were tried, where any failed
 */
export async function eraseRemainingContacts(
  deps: ContactErasureDeps,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const left = await erasuresBefore(deps.db, new Date(now.getTime() - LEFT_MS), MAX_LEFT);
  const attempts = createAttempts(signal);
  for (const one of left) await attempts.make(() => eraseContactData(deps, one, signal));
  attempts.end();
}
