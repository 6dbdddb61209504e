/** Composes messaging: channels, instances, and background work. */
import { OF_WORKSPACE, ofIds } from '../../core/sealed-column.ts';
import type { RunningSurface, Surface, SurfaceDeps } from '../../core/surface.ts';
import type { Channels } from '../../channels/contract/driver-registry.ts';
import { toUuid } from '../../core/vocabulary/ids.ts';
import { chatEvents } from './chats/chat.events.ts';
import { createTyping } from './chats/typing.ts';
import { createChannelCheck } from '../../channels/contract/channel-check.ts';
import { createChannelIngress } from './ingress/channel-ingress.ts';
import { registerChannelIngress } from './ingress/channel-ingress.routes.ts';
import { createIngressReader } from './ingress/ingress-reader.ts';
import { expireParts } from './ingress/ingress-retention.ts';
import { deleteOldUpdates } from './unprocessed-updates/update-retention.ts';
import { createConnections } from './connections/connections.ts';
import { createInbound } from './inbound/inbound.ts';
import { createInboundFiles } from './media/inbound-files.ts';
import { contactEvents } from './contacts/contact.events.ts';
import { countContacts } from './contacts/contact.store.ts';
import { groupEvents } from './groups/group.events.ts';
import { eraseInMessages } from './contacts/contact-erasure.ts';
import { contactImport } from './contacts/contact-import.ts';
import { executeJoin } from './contacts/same-person.ts';
import { executeMerge } from './contacts/contact-merge.ts';
import { createdInstances } from './instances/created-instances.ts';
import { credentialsContext, pairingContext } from './instances/instance-secrets.ts';
import { countInstances } from './instances/instance.store.ts';
import { instanceEvents } from './instances/instance.events.ts';
import { disconnectAll } from './instances/desired-state.store.ts';
import { eraseInstance } from './instances/instance-erasure.ts';
import { createAssertEndpointsAllowed } from './instances/instance-input.ts';
import { messagingQueues } from './messaging-jobs.ts';
import { messagingOperations } from './messaging-operations.ts';
import { createImportFiles } from './media/import-files.ts';
import { countMediaBytes } from './media/media-bytes.store.ts';
import { countMedia } from './media/media.store.ts';
import { sourceContext } from './media/media.service.ts';
import { createMedia } from './media/media.ts';
import { liveMessagingEvents } from './live/live.events.ts';
import { instancesById } from './records/sending-instance.store.ts';
import { messageEvents } from './messages/message.events.ts';
import { unprocessedUpdateEvents } from './unprocessed-updates/unprocessed-update.events.ts';
import { createLiveSignals } from './live/live-signals.ts';
import type { ImportFiles } from '../../core/transfer/import-files.ts';
import { giveUpImport, executeImport } from '../../core/transfer/import-job.ts';
import type { LinkShortener } from './messages/link-shortener.ts';
import { deleteOldMessages } from './messages/message-retention.ts';
import { createMessagePort } from './messages/message-port.ts';
import { createKeepUpdates } from './unprocessed-updates/keep-updates.ts';
import { createQueueMaintenance } from './queue/maintenance.ts';
import { completeGroup } from './groups/group-completion.ts';
import { createSender } from './queue/sender.ts';
import { currentTime } from '../../platform/time/clock.ts';

/** Declares messaging. */
export const messagingSurface: Surface = {
  events: {
    ...instanceEvents,
    ...unprocessedUpdateEvents,
    ...messageEvents,
    ...chatEvents,
    ...groupEvents,
    ...contactEvents,
    ...liveMessagingEvents,
  },
  counters: {
    media: countMedia,
    media_bytes: countMediaBytes,
    instances: countInstances,
    contacts: countContacts,
  },
  queues: messagingQueues,
  sealedColumns: [
    {
      table: 'instances',
      key: OF_WORKSPACE,
      values: [
        { column: 'credentials_sealed', context: ofIds(credentialsContext) },
        { column: 'pairing_sealed', context: ofIds(pairingContext) },
      ],
    },
    {
      table: 'connections',
      key: { instance_id: 'uuid' },
      needs: ['workspace_id'],
      values: [{ column: 'logout_credentials_sealed', context: ofIds(credentialsContext, 'instance_id') }],
    },
    {
      table: 'media',
      key: OF_WORKSPACE,
      values: [{ column: 'source_sealed', context: ofIds((row) => sourceContext(row.workspace_id, row.id)) }],
    },
  ],
  filterTargets: {
    async instance_id(db, workspaceId, id) {
      const uuid = toUuid('instance', id);
      return uuid !== null && (await instancesById(db, workspaceId, [uuid])).has(uuid);
    },
  },
  operations: messagingOperations,
};

export interface MessagingDeps extends SurfaceDeps {
  channels: Channels;
  /** Creates short links for messages. */
  shortener: LinkShortener;
}

export interface Messaging extends RunningSurface {
  /** Sends messages on behalf of other features. */
  port: ReturnType<typeof createMessagePort>;
  /** Storage of files that are being imported. */
  importFiles: ImportFiles;
}

export function createMessaging(deps: MessagingDeps): Messaging {
  const { config, db, control, units, secrets, egress, listener, liveEvents, quotas } = deps;
  const { channels, shortener, registry, log, inBackground, storage } = deps;
  const { drivers } = channels;
  const media = createMedia(deps);
  const importFiles = createImportFiles(media.deps, storage);
  const inboundFiles = createInboundFiles({ units, files: media.deps.files, secrets, quotas });
  const sender = createSender({
    db: control,
    units,
    log,
    registry,
    files: media.deps.files,
    urls: media.deps.urls,
    completeGroup: (unit, done) => completeGroup(unit, { inboundFiles, log }, done),
    getPerson: deps.getPerson,
    onLate: (held, row, result) => inbound.late(held, row, result),
    onCompleted: (instanceIds) => inbound.settled(instanceIds),
  });
  const keepUpdates = createKeepUpdates(registry);
  const inbound = createInbound({
    units,
    assertDiskSpace: storage.assertDiskSpace,
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
    assertDiskSpace: storage.assertDiskSpace,
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
    operations: messagingOperations({
      guard: deps.guard,
      baseUrl: config.baseUrl,
      quotas,
      drivers,
      secrets,
      connectionsChanged: connections.changed,
      checkChannel: createChannelCheck({ egress, log }),
      assertEndpointsAllowed: createAssertEndpointsAllowed(egress),
      units: units.forRequests,
      media: media.deps,
      shortener,
      importFiles,
      assertUrlAllowed: egress.assertUrlAllowed,
      wakeSender,
      queueCleared: maintenance.wake,
      replayQueued: partsStored,
      tellTyping: typing.emit,
    }),
    createdKinds: [createdInstances({ drivers, secrets, connectionsChanged: connections.changed })],
    importFiles,
    port: createMessagePort({
      drivers,
      media: media.deps,
      quotas,
      shortener,
      assertUrlAllowed: egress.assertUrlAllowed,
      wakeSender,
    }),
    eraseContact: (person, turn) => eraseInMessages(units, person, turn),
    registerRoutes(server) {
      media.registerRoutes(server);
      registerChannelIngress(server, ingress);
    },
    registerJobs(jobs) {
      channels.registerJobs(jobs);
      media.registerJobs(jobs);
      jobs.work('instances.erase', (payload, turn) => eraseInstance(db, payload, turn));
      jobs.work('contacts.merge', (payload, turn) => executeMerge(units, payload, turn));
      jobs.work('contacts.join', (payload) => executeJoin(units, { drivers, wakeSender }, payload));
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
    eraseFiles: media.eraseFiles,
    checks: media.checks,
    sharedChecks: { connections: connections.check },
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
      await channels.stop();
    },
    close: media.close,
  };
}
