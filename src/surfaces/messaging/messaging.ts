/** Composes messaging: channels, instances, and what runs for them without a request; nothing else. */
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Listener } from '../../platform/db/listener.ts';
import type { ErasedPerson } from '../../core/events/erasure/person.ts';
import type { LiveEvents } from '../../core/events/stream/live-events.ts';
import type { AppUnits, Unit } from '../../core/unit-of-work.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { createTyping } from './chats/typing.ts';
import { createChannelCheck } from '../../channels/contract/channel-check.ts';
import type { Drivers } from '../../channels/contract/driver-registry.ts';
import { createChannelIngress } from './ingress/channel-ingress.ts';
import { registerChannelIngress } from './ingress/channel-ingress.routes.ts';
import { createIngressReader } from './ingress/ingress-reader.ts';
import { expireParts } from './ingress/ingress-retention.ts';
import { deleteOldUpdates } from './unprocessed-updates/update-retention.ts';
import { createConnections, type ConnectionsDeps } from './connections/connections.ts';
import { createInbound } from './inbound/inbound.ts';
import { createInboundFiles } from './inbound/inbound-files.ts';
import { executeErasure } from './contacts/contact-erasure.ts';
import { contactImport } from './contacts/contact-import.ts';
import { backfillWords } from './contacts/contact-word-backfill.ts';
import { executeJoin } from './contacts/same-person.ts';
import { executeMerge } from './contacts/contact-merge.ts';
import { disconnectAll } from './instances/desired-state.store.ts';
import { eraseInstance } from './instances/instance-erasure.ts';
import { createAssertEndpointsAllowed } from './instances/instance-input.ts';
import type { MediaServiceDeps } from './media/media.service.ts';
import type { MessagingOperationDeps } from './messaging-operations.ts';
import { createLiveSignals } from './live/live-signals.ts';
import type { DiskWatch } from '../../platform/storage/disk-watch.ts';
import type { ImportFiles } from '../../core/transfer/import-files.ts';
import { giveUpImport, executeImport } from '../../core/transfer/import-job.ts';
import type { LinkShortener } from './messages/link-shortener.ts';
import { deleteOldMessages } from './messages/message-retention.ts';
import { createMessagePort } from './messages/message-port.ts';
import { createKeepUpdates } from './unprocessed-updates/keep-updates.ts';
import { createQueueMaintenance } from './queue/maintenance.ts';
import { createSender } from './queue/sender.ts';
import { currentTime } from '../../platform/time/clock.ts';
import type { GetPerson } from '../../core/workspaces/person-lookup.ts';
import type { Quotas } from '../../core/workspaces/quota.ts';

export interface MessagingDeps {
  getPerson: GetPerson;
  db: Database;
  /** Connections to the database that don't wait behind requests. */
  control: Database;
  units: AppUnits;
  secrets: SecretBox;
  egress: Egress;
  /** The channels that instances can be of. */
  drivers: Drivers;
  listener: Listener;
  /** Where typing and presence go. */
  liveEvents: LiveEvents;
  media: MediaServiceDeps;
  importFiles: ImportFiles;
  quotas: Quotas;
  /** Creates short links for messages. */
  shortener: LinkShortener;
  registry: Registry;
  log: ConnectionsDeps['log'];
  /** Whether this process holds connections and sends. */
  inBackground: boolean;
  /** Whether anything new is taken. */
  storage: Pick<DiskWatch, 'assertDiskSpace'>;
}

export interface Messaging {
  /** What its operations are made with. */
  forOperations: Omit<MessagingOperationDeps, 'quotas' | 'baseUrl' | 'guard'>;
  /** Sends in the name of others. */
  port: ReturnType<typeof createMessagePort>;
  /** Registers routes outside the API: `/channels/`. */
  registerRoutes(server: FastifyInstance): void;
  /** Says who performs its jobs. Before `jobs.start`. */
  registerJobs(jobs: Jobs): void;
  /** Takes an erased contact out of chats, messages and groups. */
  forgetContact(person: ErasedPerson, signal?: AbortSignal): Promise<void>;
  /** Stops all instances of a workspace, in the transaction that deletes it. */
  workspaceDeleted(unit: Unit, workspaceId: string): Promise<void>;
  /** `degraded` where connections are wanted and nobody opens them. */
  check(): Promise<'ok' | 'degraded'>;
  start(): void;
  stop(): Promise<void>;
}

export function createMessaging(deps: MessagingDeps): Messaging {
  const { db, control, units, secrets, egress, listener, liveEvents, media, quotas } = deps;
  const { drivers, importFiles, shortener, registry, log, inBackground } = deps;
  const inboundFiles = createInboundFiles({ units, files: media.files, secrets, quotas });
  const sender = createSender({
    db: control,
    units,
    log,
    registry,
    files: media.files,
    urls: media.urls,
    inboundFiles,
    getPerson: deps.getPerson,
    onLate: (held, row, result) => inbound.late(held, row, result),
    onCompleted: (instanceIds) => inbound.settled(instanceIds),
  });
  const keepUpdates = createKeepUpdates(registry);
  const inbound = createInbound({
    units,
    assertDiskSpace: deps.storage.assertDiskSpace,
    log,
    files: inboundFiles,
    keepUpdates,
    tellLive: createLiveSignals({ db: control, liveEvents }),
  });
  const maintenance = createQueueMaintenance({
    db: control,
    units,
    log,
    wakeSender: (id) => wakeSender([id]),
  });
  const typing = createTyping({ listener, sender, log });
  const wakeSender = (instanceIds: readonly string[]): void => {
    for (const id of instanceIds)
      if (sender.has(id)) sender.wake(id);
      else listener.notify('queue', id);
  };
  const ingressReader = createIngressReader({ db: control, units, keepUpdates, log });
  const partsStored = (): void => {
    ingressReader.wake();
    listener.notify('ingress');
  };
  const ingress = createChannelIngress({
    db,
    drivers,
    secrets,
    clock: units.read.clock,
    getPerson: deps.getPerson,
    assertDiskSpace: deps.storage.assertDiskSpace,
    stored: partsStored,
    log,
  });
  listener.on('ingress', ingressReader.wake);
  const connections = createConnections({
    control,
    units,
    drivers,
    secrets,
    egress,
    sender: typing.sender,
    receiver: inbound,
    ingress: ingressReader,
    registry,
    log,
    holds: inBackground,
    tellOthers: () => listener.notify('connections'),
  });
  listener.on('connections', connections.wake);
  listener.on('queue', (instanceId) => sender.wake(instanceId === '' ? undefined : instanceId));

  return {
    forOperations: {
      drivers,
      secrets,
      connectionsChanged: connections.changed,
      checkChannel: createChannelCheck({ egress, log }),
      assertEndpointsAllowed: createAssertEndpointsAllowed(egress),
      units: units.forRequests,
      media,
      shortener,
      importFiles,
      assertUrlAllowed: egress.assertUrlAllowed,
      wakeSender,
      queueCleared: maintenance.wake,
      replayQueued: partsStored,
      tellTyping: typing.emit,
    },
    port: createMessagePort({
      drivers,
      media,
      quotas,
      shortener,
      assertUrlAllowed: egress.assertUrlAllowed,
      wakeSender,
    }),
    forgetContact: (person, signal) => executeErasure(units, person, signal),
    registerRoutes: (server) => registerChannelIngress(server, ingress),
    registerJobs(jobs) {
      jobs.work('instances.erase', (payload, turn) => eraseInstance(db, payload, turn));
      jobs.work('contacts.merge', (payload, { signal }) => executeMerge(units, payload, signal));
      jobs.work('contacts.join', (payload) => executeJoin(units, { drivers, wakeSender }, payload));
      jobs.work('contacts.words', (payload, { signal }) => backfillWords(units, payload, signal));
      jobs.work('contacts.erase', (payload, { signal }) => executeErasure(units, payload, signal));
      jobs.work(
        'contacts.import',
        (payload, turn) =>
          executeImport({ units, files: importFiles }, contactImport({ drivers, quotas }), payload, turn),
        (payload) => giveUpImport({ units, files: importFiles }, payload),
      );
      jobs.schedule('messages.delete-old', '32 * * * *', (signal) =>
        deleteOldMessages(db, units, currentTime(), signal),
      );
      jobs.schedule('ingress.delete-unread', '47 * * * *', (signal) =>
        expireParts({ units, keepUpdates }, currentTime(), signal),
      );
      jobs.schedule('unprocessed-updates.delete-old', '52 * * * *', (signal) =>
        deleteOldUpdates(db, currentTime(), signal),
      );
    },
    async workspaceDeleted(unit, workspaceId) {
      await disconnectAll(unit.db, workspaceId);
      unit.afterCommit(connections.changed);
    },
    check: connections.check,
    start() {
      connections.start();
      if (!inBackground) return;
      sender.start();
      ingressReader.start();
      maintenance.start();
    },
    async stop() {
      await connections.stop();
      await ingressReader.stop();
      await sender.stop();
      await maintenance.stop();
      await inbound.stop();
    },
  };
}
