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
import type { Units } from '../core/unit/unit-of-work.ts';
import {
  type Erasure,
  getErasure,
  removeErasure,
  saveProgress,
} from '../core/events/erasure/erasure.store.ts';
import { erasuresBefore } from '../core/events/erasure/erasure.system-store.ts';
import { eraseStoredAnswersFor } from '../core/events/erasure/stored-answers.ts';
import { walkLog } from '../core/events/erasure/log-walk.ts';
import type { RunningSurface } from '../core/surface.ts';
import { createAttempts } from '../platform/jobs/attempts.ts';
import type { JobPayloads } from '../platform/jobs/job-queue.ts';
import { createTurn, type JobTurn, performSteps, type Step, UNSHARED } from '../platform/jobs/turn.ts';
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

/** The parts of an erasure, in their order. */
function getSteps(deps: ContactErasureDeps, erasure: Erasure, turn: JobTurn): Step[] {
  const { db, units, secrets, surfaces } = deps;
  const deleteUnopened: DeleteUnopened = (...heads) => deleteUnopenedHeads({ db, secrets }, ...heads);
  const once = (name: string, perform: () => Promise<void>): Step => ({
    name,
    perform: async () => {
      await perform();
      return undefined;
    },
  });
  return [
    ...surfaces.flatMap((surface) => surface.eraseContact?.(erasure, turn) ?? []),
    once('flush', async () => {
      for (const surface of surfaces) await surface.flush?.(db);
    }),
    // Its position is in the erasure's row.
    { name: 'log', perform: async () => ((await walkLog(units, erasure, turn)) ? undefined : '') },
    ...eraseDeliveriesFor({ db, secrets, deleteUnopened }, erasure, turn),
    ...surfaces.flatMap((surface) => surface.eraseContactLast?.(erasure, turn) ?? []),
    once('stored_answers', () => eraseStoredAnswersFor(units, erasure)),
    once('jobs', () => eraseJobsFor(units, erasure)),
  ];
}

/**
 * Executes the job `contacts.forget`; does nothing if it is already completed.
 * @returns the payload of its next turn
 * @throws the reason of the turn's signal
 */
export async function eraseContactData(
  deps: ContactErasureDeps,
  payload: JobPayloads['contacts.forget'],
  turn = UNSHARED,
): Promise<typeof payload | void> {
  const { workspaceId, erasureId } = payload;
  const erasure = await getErasure(deps.db, workspaceId, erasureId);
  if (!erasure) return;
  const progress = await performSteps(getSteps(deps, erasure, turn), payload.progress);
  if (progress) return { workspaceId, erasureId, progress };
  if (erasure.looks > 0) return removeErasure(deps.db, workspaceId, erasureId);
  await deps.units.write(async (unit) => {
    // With its workspace it is gone, and so is all that there was to look at.
    if (!(await saveProgress(unit.db, workspaceId, erasureId, { looks: 1 }))) return;
    const again = { workspaceId, erasureId };
    await unit.jobs.enqueue(unit.db, 'contacts.forget', again, { afterSeconds: LATE_SECONDS });
  });
}

/**
 * Resumes the work of lost or failed jobs. Scheduled each hour.
 * @throws after all were tried, if any failed
 */
export async function eraseRemainingContacts(
  deps: ContactErasureDeps,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const left = await erasuresBefore(deps.db, new Date(now.getTime() - LEFT_MS), MAX_LEFT);
  const attempts = createAttempts(signal);
  const turn = createTurn(signal ?? UNSHARED.signal, async () => false);
  for (const one of left) await attempts.make(() => eraseContactData(deps, one, turn));
  attempts.end();
}
