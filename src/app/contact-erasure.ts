/**
 * Erases the remaining personal data of an erased contact: executes the job `contacts.forget`. Each surface erases its
 * own rows; this file only defines their order.
 *
 * Messages, links and publications come first, because they write events until then. The event log is redacted next,
 * then the rows that depend on its events. Work that was in progress at the erasure (a delivery attempt, a rule step, a
 * request) may still write until its own timeout, so everything runs a second time LATE_SECONDS later. Afterwards the
 * identity of the person is dropped. Each part can be repeated, so a job that died is retried.
 */
import type { SecretBox } from '../platform/crypto/secret-box.ts';
import type { Database } from '../platform/db/database.ts';
import type { Units } from '../core/unit-of-work.ts';
import { getErasure, removeErasure, saveProgress } from '../core/events/erasure/erasure.store.ts';
import { erasuresBefore } from '../core/events/erasure/erasure.system-store.ts';
import { eraseStoredAnswersFor } from '../core/events/erasure/stored-answers.ts';
import { walkLog } from '../core/events/erasure/log-walk.ts';
import type { RunningSurface } from '../core/surface.ts';
import { createAttempts } from '../platform/jobs/attempts.ts';
import type { JobPayloads } from '../platform/jobs/job-queue.ts';
import { eraseJobsFor } from '../core/jobs/job-erasure.ts';
import { deleteUnopenedHeads } from '../ops/secret-rotation/unopened-heads.ts';
import { type DeleteUnopened, eraseDeliveriesFor } from '../core/webhooks/delivery-erasure.ts';

/** Longer than anything may be under way: a step that asks a model takes a minute. */
const LATE_SECONDS = 120;
/** Work that has not finished by then has failed or was lost. */
const LEFT_MS = 3600 * 1000;
const MAX_LEFT = 100;

export interface ContactErasureDeps {
  db: Database;
  units: Units;
  secrets: SecretBox;
  surfaces: readonly Pick<RunningSurface, 'eraseContact' | 'eraseContactLast' | 'flush'>[];
}

/** Performs the job `contacts.forget`; does nothing where it is done. @throws where `signal` ends it early */
export async function eraseContactData(
  deps: ContactErasureDeps,
  { workspaceId, erasureId }: JobPayloads['contacts.forget'],
  signal?: AbortSignal,
): Promise<void> {
  const { db, units, secrets, surfaces } = deps;
  const erasure = await getErasure(db, workspaceId, erasureId);
  if (!erasure) return;
  for (const surface of surfaces) await surface.eraseContact?.(erasure, signal);
  for (const surface of surfaces) await surface.flush?.(db);
  await walkLog(units, erasure, signal);
  const deleteUnopened: DeleteUnopened = (...heads) => deleteUnopenedHeads({ db, secrets }, ...heads);
  await eraseDeliveriesFor(units, secrets, deleteUnopened, erasure, signal);
  for (const surface of surfaces) await surface.eraseContactLast?.(erasure, signal);
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
