/** What runs without a request: who performs which job, and what returns each hour. */
import { endExpiredKeys } from '../core/api-keys/expired-keys.ts';
import { remindOfExpiringKeys } from '../core/api-keys/key-reminder.ts';
import type { Channels } from './channels.ts';
import type { Identity } from '../core/auth/identity/identity.ts';
import type { SecretBox } from '../platform/crypto/secret-box.ts';
import { eraseContactData, eraseRemainingContacts, type ContactErasureDeps } from './contact-erasure.ts';
import { createCreatedKinds } from './created-kinds.ts';
import { performDisable } from '../core/created-objects/created-object.service.ts';
import type { Database } from '../platform/db/database.ts';
import type { PartitionManager } from '../platform/db/partition-manager.ts';
import type { Units } from '../core/unit-of-work.ts';
import type { Egress } from '../platform/egress/egress.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import { deleteOldIdempotencyKeys, deleteOldInvitations } from '../platform/jobs/maintenance.ts';
import { waitForLoaders } from '../surfaces/links/clicks/click-erasure.ts';
import type { Automation } from '../surfaces/automation/automation.ts';
import type { Links } from '../surfaces/links/links.ts';
import type { Models } from '../surfaces/models/models.ts';
import type { Messaging } from '../surfaces/messaging/messaging.ts';
import type { MediaServiceDeps } from '../surfaces/messaging/media/media.service.ts';
import { giveUpFetch, executeFetch } from '../surfaces/messaging/media/media-fetch.ts';
import { executeCollect, removeContents } from '../surfaces/messaging/media/media-removal.ts';
import { deleteOldMedia } from '../surfaces/messaging/media/media-retention.ts';
import { sweepMedia } from '../surfaces/messaging/media/media-sweep.ts';
import { executeMailJob, type SendLater } from '../platform/mail/mail-job.ts';
import type { Mailer } from '../platform/mail/mailer.ts';
import { replaceCalledUrl } from '../surfaces/automation/rules/rule.store.ts';
import { cleanRecordedRequests } from '../core/webhooks/inspector-cleanup.ts';
import { deleteOldInspectorRequests } from '../core/webhooks/inspector-retention.ts';
import { deleteOldActivity } from '../core/activity/stats-retention.ts';
import { deleteOldStats } from '../core/webhooks/delivery-retention.ts';
import { giveUpReplay, executeReplay } from '../core/webhooks/replay.ts';
import { eraseDeletedWorkspaces, eraseWorkspace } from '../core/workspaces/erasure.ts';
import { currentTime } from '../platform/time/clock.ts';

export interface BackgroundDeps {
  db: Database;
  units: Units;
  log: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>;
  secrets: SecretBox;
  mailer: Mailer;
  sendLater: SendLater;
  baseUrl: string;
  partitions: PartitionManager;
  identity: Pick<Identity, 'deleteExpired'>;
  wakeDeliveries: () => void;
  media: MediaServiceDeps;
  egress: Egress;
  channels: Pick<Channels, 'registerJobs'>;
  messaging: Pick<Messaging, 'registerJobs' | 'forgetContact' | 'forOperations'>;
  links: Pick<Links, 'registerJobs' | 'forgetContact'>;
  automation: Pick<Automation, 'registerJobs' | 'forgetPublications' | 'forgetRuns'>;
  models: Pick<Models, 'registerJobs'>;
}

/** Registers; nothing runs before `jobs.start()`. The minutes differ, so that the jobs do not start together. */
export function registerBackgroundWork(jobs: Jobs, deps: BackgroundDeps): void {
  const { db, units, log, secrets, mailer, sendLater, baseUrl, partitions, identity, wakeDeliveries } = deps;
  const { files } = deps.media;
  const removeFiles = (workspaceId: string) => removeContents(db, files, workspaceId);
  deps.channels.registerJobs(jobs);
  deps.messaging.registerJobs(jobs);
  deps.links.registerJobs(jobs);
  deps.automation.registerJobs(jobs);
  deps.models.registerJobs(jobs);
  jobs.work('mail.send', (payload) => executeMailJob({ secrets, mailer, log }, payload));
  jobs.work('inspectors.clean', (payload, { signal }) =>
    cleanRecordedRequests({ db, secrets, log, baseUrl, replaceCalledUrl }, payload, signal),
  );
  jobs.work('workspaces.erase', ({ workspaceId }) =>
    eraseWorkspace(db, workspaceId, removeFiles, waitForLoaders),
  );
  const forgetting: ContactErasureDeps = { ...deps, flush: waitForLoaders };
  jobs.work('contacts.forget', (payload, { signal }) => eraseContactData(forgetting, payload, signal));
  jobs.schedule('contacts.forget-left', '47 * * * *', (signal) =>
    eraseRemainingContacts(forgetting, currentTime(), signal),
  );
  jobs.work(
    'media.fetch',
    (payload, { signal }) =>
      executeFetch(
        { units, secrets, files, quotas: deps.media.quotas, dispatcher: deps.egress.dispatcher },
        payload,
        signal,
      ),
    (payload) => giveUpFetch(units, payload),
  );
  jobs.work('media.collect', (payload) => executeCollect({ units, files }, payload));
  jobs.work(
    'webhooks.replay',
    (payload, turn) => executeReplay({ units, wakeDeliveries }, payload, turn),
    (payload) => giveUpReplay(units, payload),
  );

  const createdKinds = createCreatedKinds({ baseUrl, instances: deps.messaging.forOperations });
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
  jobs.schedule('webhook-stats.delete-old', '33 * * * *', (signal) =>
    deleteOldStats(db, currentTime(), signal),
  );
  jobs.schedule('activity.delete-old', '52 * * * *', (signal) =>
    deleteOldActivity(db, currentTime(), signal),
  );
  jobs.schedule('workspaces.erase-deleted', '37 * * * *', () =>
    eraseDeletedWorkspaces(db, currentTime(), removeFiles, waitForLoaders),
  );
  jobs.schedule('media.delete-old', '22 * * * *', (signal) =>
    deleteOldMedia(db, units, files, currentTime(), signal),
  );
  jobs.schedule('media.sweep', '42 3 * * *', (signal) => sweepMedia(units, files, currentTime(), signal));
  jobs.schedule('sessions.delete-expired', '57 * * * *', () => identity.deleteExpired());
  if (mailer.enabled)
    jobs.schedule('api-keys.remind', '47 * * * *', () => remindOfExpiringKeys(units, { baseUrl, sendLater }));
}
