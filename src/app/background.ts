/** Background work: which function executes which job, and hourly schedules. */
import { endExpiredKeys } from '../core/api-keys/expired-keys.ts';
import { remindOfExpiringKeys } from '../core/api-keys/key-reminder.ts';
import type { Identity } from '../core/auth/identity/identity.ts';
import type { SecretBox } from '../platform/crypto/secret-box.ts';
import type { Log } from '../platform/logging/log.ts';
import { eraseContactData, eraseRemainingContacts } from './contact-erasure.ts';
import type { CreatedKind } from '../core/created-objects/created-kind.ts';
import type { RunningSurface } from '../core/surface.ts';
import { performDisable } from '../core/created-objects/created-object.service.ts';
import type { Database } from '../platform/db/database.ts';
import type { PartitionManager } from '../platform/db/partition-manager.ts';
import { deleteOldTraces } from '../core/unit/traced-resources.system-store.ts';
import type { Units } from '../core/unit/unit-of-work.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import { deleteOldIdempotencyKeys, deleteOldInvitations } from '../platform/jobs/maintenance.ts';
import { executeMailJob, type SendLater } from '../platform/mail/mail-job.ts';
import type { Mailer } from '../platform/mail/mailer.ts';
import { deleteOldInspectorRequests } from '../core/webhooks/inspector-retention.ts';
import { deleteOldActivity } from '../core/activity/stats-retention.ts';
import { deleteOldStats } from '../core/webhooks/delivery-retention.ts';
import { giveUpReplay, executeReplay } from '../core/webhooks/replay.ts';
import { eraseDeletedWorkspaces, eraseWorkspace } from '../core/workspaces/erasure.ts';
import { currentTime } from '../platform/time/clock.ts';

export interface BackgroundDeps {
  db: Database;
  units: Units;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  secrets: SecretBox;
  mailer: Mailer;
  sendLater: SendLater;
  baseUrl: string;
  partitions: PartitionManager;
  identity: Pick<Identity, 'deleteExpired'>;
  wakeDeliveries: () => void;
  createdKinds: readonly CreatedKind[];
  surfaces: readonly RunningSurface[];
}

/** Registers; nothing runs before `jobs.start()`. The minutes differ, so that the jobs do not start together. */
export function registerBackgroundWork(jobs: Jobs, deps: BackgroundDeps): void {
  const { db, units, log, secrets, mailer, sendLater, baseUrl, partitions, identity, wakeDeliveries } = deps;
  const { surfaces, createdKinds } = deps;
  const eraseFiles = async (workspaceId: string): Promise<void> => {
    for (const surface of surfaces) await surface.eraseFiles?.(workspaceId);
  };
  const flush = async (database: Database): Promise<void> => {
    for (const surface of surfaces) await surface.flush?.(database);
  };
  for (const surface of surfaces) surface.registerJobs?.(jobs);
  jobs.work('mail.send', (payload) => executeMailJob({ secrets, mailer, log }, payload));
  jobs.work('workspaces.erase', (payload, turn) => eraseWorkspace({ db, eraseFiles, flush }, payload, turn));
  jobs.work('contacts.forget', (payload, turn) => eraseContactData(deps, payload, turn));
  jobs.schedule('contacts.forget-left', '47 * * * *', (signal) =>
    eraseRemainingContacts(deps, currentTime(), signal),
  );
  jobs.work(
    'webhooks.replay',
    (payload, turn) => executeReplay({ units, wakeDeliveries }, payload, turn),
    (payload) => giveUpReplay(units, payload),
  );

  jobs.work('created-objects.disable', (payload, turn) => performDisable(units, createdKinds, payload, turn));
  jobs.schedule('api-keys.end-expired', '* * * * *', () => endExpiredKeys(units));

  jobs.schedule('partitions.maintain', '7 * * * *', () => partitions.maintain());
  jobs.schedule('idempotency-keys.delete-old', '17 * * * *', (signal) =>
    deleteOldIdempotencyKeys(db, currentTime(), signal),
  );
  jobs.schedule('invitations.delete-old', '27 * * * *', (signal) =>
    deleteOldInvitations(db, currentTime(), signal),
  );
  jobs.schedule('inspector-requests.delete-old', '12 * * * *', (signal) =>
    deleteOldInspectorRequests(db, currentTime(), signal),
  );
  jobs.schedule('traced-resources.delete-old', '42 * * * *', (signal) =>
    deleteOldTraces(db, currentTime(), signal),
  );
  jobs.schedule('webhook-stats.delete-old', '33 * * * *', (signal) =>
    deleteOldStats(db, currentTime(), signal),
  );
  jobs.schedule('activity.delete-old', '52 * * * *', (signal) =>
    deleteOldActivity(db, currentTime(), signal),
  );
  jobs.schedule('workspaces.erase-deleted', '37 * * * *', () =>
    eraseDeletedWorkspaces({ db, eraseFiles, flush }, currentTime()),
  );
  jobs.schedule('sessions.delete-expired', '57 * * * *', () => identity.deleteExpired());
  if (mailer.enabled)
    jobs.schedule('api-keys.remind', '47 * * * *', () => remindOfExpiringKeys(units, { baseUrl, sendLater }));
}
