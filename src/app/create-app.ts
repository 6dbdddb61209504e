/** Composes the product: which modules, in which order; nothing else. */
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import type { AppDeps } from './app-deps.ts';
import { createAutomation } from '../surfaces/automation/automation.ts';
import { startEpoch } from '../core/auth/epoch.ts';
import { createFailureLimiter } from '../core/auth/failure-limiter.ts';
import { createIdentity } from '../core/auth/identity/identity.ts';
import { createPersonLookup } from '../core/workspaces/person-lookup.ts';
import { findFirstOwner } from '../core/workspaces/workspace.system-store.ts';
import { createPasswordHasher } from '../core/auth/identity/password-hash.ts';
import { createGuard } from '../core/auth/guard.ts';
import { startKeyUsage } from '../core/auth/key-usage.ts';
import { registerAnswers } from './routes.ts';
import { registerBackgroundWork } from './background.ts';
import { createChannels } from './channels.ts';
import { openDatabase, openRequestDatabase } from '../platform/db/database.ts';
import { startClockGuard } from '../platform/db/clock-guard.ts';
import { createListener } from '../platform/db/listener.ts';
import { createAppUnits } from '../core/unit-of-work.ts';
import { partitionedBesideEvents, subscribedAnyhow } from './event-log-parts.ts';
import { EVENT_KINDS } from './event-kinds.ts';
import { createEventTypes } from '../core/events/event-type.service.ts';
import { createEventLog } from '../core/events/event-log.ts';
import { countMessages } from '../core/activity/message-stats.system-store.ts';
import { joinFanOuts } from '../core/events/sequencer.system-store.ts';
import { createCors } from '../core/api/cors.ts';
import { createEgress } from '../platform/egress/egress.ts';
import { healthChecks } from './health-checks.ts';
import { registerHealth } from './health.routes.ts';
import { createMetrics } from '../platform/metrics/metrics.ts';
import type { Operation } from '../core/api/operation.ts';
import { startRequestRecorder } from '../core/requests/request-recorder.ts';
import { createRateLimiter } from '../core/api/rate-limit.ts';
import { createServer } from '../platform/http/server.ts';
import { endOpenAnswers } from '../core/api/stream.ts';
import { createJobs } from '../platform/jobs/jobs.ts';
import { createSendLater } from '../platform/mail/mail-job.ts';
import { createMailer } from '../platform/mail/mailer.ts';
import { openCallJournal } from '../surfaces/models/ledger/call-journal.ts';
import { createModels } from '../surfaces/models/models.ts';
import { createImportFiles } from '../surfaces/messaging/media/import-files.ts';
import { openMediaFiles } from '../surfaces/messaging/media/open-files.ts';
import { createMessaging } from '../surfaces/messaging/messaging.ts';
import { createMediaUrls } from '../surfaces/messaging/media/media-url.ts';
import { createThumbnails } from '../surfaces/messaging/media/thumbnails.ts';
import { createClickIngestion } from '../surfaces/links/clicks/click-ingestion.ts';
import { createRedirectService } from '../surfaces/links/redirect-service.ts';
import { GEOIP_OFF } from '../surfaces/links/visitor/geo-location.ts';
import { createLinks } from '../surfaces/links/links.ts';
import { allOperations } from './operations.ts';
import { createStorage } from '../platform/storage/storage.ts';
import { measureBackups } from '../ops/backup/last-backup.ts';
import { createDeliveryEngine } from '../core/webhooks/delivery/delivery-engine.ts';
import { createDeliveryExchange } from '../core/webhooks/delivery-transport.ts';
import { enqueueWordBackfill } from '../surfaces/messaging/contacts/contact-word-backfill.ts';
import { enqueueCleanup } from '../core/webhooks/inspector-cleanup.ts';
import { createInspectorReceiver } from '../core/webhooks/inspector-receiver.ts';
import { createDisableBySystem } from '../core/webhooks/webhook-disabling.ts';
import { exceptInspector } from '../core/webhooks/webhook-url.ts';
import { createQuotas } from '../core/workspaces/quota.ts';
import { COUNTERS } from './counters.ts';

export interface App {
  server: FastifyInstance;
  operations: Operation[];
  /** Answers what is running, then ends everything that this process does. */
  stop(): Promise<void>;
}

export async function createApp(deps: AppDeps): Promise<App> {
  const { config, log, pool, controlPool, direct, secrets, isFirst, pages } = deps;
  const inBackground = config.ROLE === 'all' || config.ROLE === 'worker';
  const answersCalls = config.ROLE === 'all' || config.ROLE === 'api';
  const followsLinks = config.ROLE === 'all' || config.ROLE === 'redirect';
  const db = openDatabase(pool);
  const requestDb = openRequestDatabase(pool);
  const control = openDatabase(controlPool);
  const eventTypes = createEventTypes(EVENT_KINDS);
  const metrics = createMetrics(new Registry(), { requests: pool, control: controlPool });
  const storage = createStorage({ config, registry: metrics.registry, log, read: deps.readDisk });
  measureBackups(metrics.registry, config.DATA_DIR);
  const epoch = startEpoch(control, (err) => log.warn({ err }, 'could not read the auth epoch'));
  const keyUsage = startKeyUsage(db, (err) =>
    log.warn({ err }, 'could not record when API keys were last used'),
  );
  const requests = answersCalls ? startRequestRecorder({ db, log, registry: metrics.registry }) : null;
  const limiter = createRateLimiter(db);
  const cors = createCors(db, epoch);
  const listener = createListener({ connection: direct, log });
  const refreshEpoch = (): void => void epoch.refresh().catch(() => undefined); // the next poll tells of faults
  listener.on('epoch', refreshEpoch);
  const clockGuard = inBackground ? startClockGuard(control, log) : null;
  const egress = createEgress({ allow: config.EGRESS_ALLOW, ...deps.egress });
  const getPerson = createPersonLookup(db);
  const inspector = createInspectorReceiver({ db: requestDb, secrets, getPerson });
  const exchange = createDeliveryExchange({ baseUrl: config.baseUrl, receiver: inspector, egress, log });
  const deliveries = createDeliveryEngine({
    control,
    secrets,
    log,
    registry: metrics.registry,
    sends: inBackground,
    exchange,
    rendering: () => automation.forOperations,
    disable: (...webhook) => units.write((unit) => disableBySystem(unit, ...webhook)),
    tellOthers: () => listener.notify('events', 'deliveries'),
  });
  listener.on('events', (payload) => {
    if (payload === 'deliveries' || payload === '') deliveries.wake();
  });
  const eventLog = createEventLog({
    db,
    control,
    log,
    registry: metrics.registry,
    listener,
    sequences: inBackground,
    fanOut: joinFanOuts(countMessages, deliveries.fanOut, (...given) => automation.fanOut(...given)),
    onSequenced: deliveries.onSequenced,
    subscribed: subscribedAnyhow,
    partitioned: partitionedBesideEvents(config.CLICKS_KEPT_DAYS),
  });
  const jobs = createJobs({
    pool,
    db,
    log,
    performs: inBackground,
    registry: metrics.registry,
    getPerson: findFirstOwner,
  });
  const units = createAppUnits({
    db,
    requestDb,
    events: eventLog.writer,
    jobs: jobs.queue,
    epochRaised() {
      refreshEpoch();
      listener.notify('epoch');
    },
  });
  const mailer = createMailer({ config, log });
  const sendLater = createSendLater(secrets, jobs.queue);
  const identity = createIdentity({
    ...deps,
    db: requestDb,
    hasher: createPasswordHasher({ cost: deps.passwordCost }),
    mail: { enabled: mailer.enabled, sendLater },
  });
  const disableBySystem = createDisableBySystem({
    baseUrl: config.baseUrl,
    sendLater: mailer.enabled ? sendLater : null,
  });
  const guard = createGuard({ db, epoch, sessions: identity.sessions, failures: createFailureLimiter() });
  const quotas = createQuotas(config.WORKSPACE_LIMITS, COUNTERS);
  const media = {
    files: openMediaFiles(config, { units, log }),
    urls: createMediaUrls(secrets, config.baseUrl),
    secrets,
    quotas,
  };
  const thumbnails = createThumbnails({ log });
  const importFiles = createImportFiles(media, storage);
  const links = createLinks({
    passwordCost: deps.passwordCost,
    importFiles,
    interestedWorkspaces: eventLog.interest.wantedBy,
    config,
    db,
    control,
    units,
    secrets,
    egress,
    listener,
    quotas,
    registry: metrics.registry,
    log,
    inBackground,
  });
  const journaled =
    config.ROLE === 'all'
      ? {
          journal: await openCallJournal({
            dataDir: config.DATA_DIR,
            db: control,
            registry: metrics.registry,
            log,
          }),
          dataDir: config.DATA_DIR,
        }
      : null;
  const models = createModels({
    journaled,
    db,
    control,
    units,
    guard,
    secrets,
    egress,
    quotas,
    getPerson,
    registry: metrics.registry,
    log,
    inBackground,
  });
  const channels = createChannels({ db, listener, log, baseUrl: config.baseUrl });
  const messaging = createMessaging({
    getPerson,
    drivers: channels.drivers,
    db,
    control,
    units,
    secrets,
    egress,
    listener,
    liveEvents: eventLog.liveEvents,
    media,
    quotas,
    importFiles,
    storage,
    shortener: links.shortener,
    registry: metrics.registry,
    log,
    inBackground,
  });
  const automation = createAutomation({
    getPerson,
    eventTypes,
    baseUrl: config.baseUrl,
    db,
    control,
    units,
    secrets,
    egress,
    exchange,
    listener,
    messages: messaging.port,
    links: links.port,
    models: models.port,
    quotas,
    registry: metrics.registry,
    log,
    inBackground,
  });
  const operations = allOperations({
    eventTypes,
    baseUrl: config.baseUrl,
    sendLater: mailer.enabled ? sendLater : null,
    quotas,
    guard,
    models: models.forOperations,
    db,
    liveTail: eventLog.liveTail,
    liveEvents: eventLog.liveEvents,
    interest: eventLog.interest,
    secrets,
    assertUrlAllowed: exceptInspector(config.baseUrl, egress.assertUrlAllowed),
    wakeDeliveries: deliveries.wake,
    media: { ...media, assertUrlAllowed: egress.assertUrlAllowed },
    messaging: messaging.forOperations,
    links: links.forOperations,
    automation: automation.forOperations,
    async workspaceDeleted(unit, workspaceId) {
      await messaging.workspaceDeleted(unit, workspaceId);
      await links.workspaceDeleted(unit, workspaceId);
      await automation.workspaceDeleted(unit, workspaceId);
    },
    clickAddressesChanged: links.clickAddressesChanged,
    workspacesPerUser: config.WORKSPACES_PER_USER,
    locates: { clicks: config.GEOIP_DB !== GEOIP_OFF, cities: ![null, GEOIP_OFF].includes(config.GEOIP_DB) },
    storage,
  });
  registerBackgroundWork(jobs, {
    db,
    units,
    log,
    secrets,
    mailer,
    sendLater,
    baseUrl: config.baseUrl,
    partitions: eventLog.partitions,
    identity,
    wakeDeliveries: deliveries.wake,
    media,
    egress,
    channels,
    messaging,
    links,
    automation,
    models,
  });

  const following = followsLinks
    ? await createRedirectService({
        config,
        getPerson,
        controlPool,
        control,
        units: units.forRequests,
        secrets,
        registry: metrics.registry,
        log,
      })
    : null;
  const { registry } = metrics;
  const { wantedBy } = eventLog.interest;
  const loading = following
    ? createClickIngestion({
        config,
        db,
        units,
        interestedWorkspaces: wantedBy,
        journal: following.journal,
        registry,
        log,
      })
    : null;
  let stopping = false;
  const server = createServer(config, log, metrics.answered, undefined, following?.before);
  registerHealth(server, {
    config,
    metrics: deps.gatherMetrics?.(metrics.registry) ?? (() => metrics.registry.metrics()),
    isStopping: () => stopping,
    isUseful: () => following?.isUseful() === true,
    log,
    ...healthChecks({ epoch, eventLog, deliveries, messaging, media, storage, following, loading }),
  });
  if (requests)
    registerAnswers(server, {
      getPerson,
      config,
      db,
      units: units.forRequests,
      guard,
      cors,
      limiter,
      secrets,
      keyUsage,
      requests,
      identity,
      inspector,
      storage,
      media: { ...media, thumbnails, getPerson },
      messaging,
      links,
      automation,
      operations,
      pages,
    });

  await storage.start();
  await eventLog.start();
  if (isFirst && answersCalls) await identity.announceSetupToken();
  if (isFirst && inBackground) {
    await enqueueCleanup(units);
    await enqueueWordBackfill(units);
  }
  server.addHook('onListen', (done) => {
    following?.start();
    loading?.start();
    listener.start();
    jobs.start();
    deliveries.start();
    messaging.start();
    automation.start();
    models.start();
    done();
  });

  return {
    server,
    operations,
    async stop() {
      stopping = true;
      endOpenAnswers();
      await server.close();
      await loading?.stop();
      await following?.stop();
      // Each takes seconds to end what is under way, and all of it together may take ten.
      await Promise.all([
        jobs.stop(),
        messaging.stop().then(channels.stop),
        links.stop(),
        automation.stop(),
        models.stop(),
        deliveries.stop(),
      ]);
      mailer.close();
      await eventLog.stop();
      await egress.close();
      await Promise.all([media.files.close(), thumbnails.close()]);
      await Promise.all([listener.stop(), clockGuard?.stop()]);
      storage.stop();
      epoch.stop();
      await limiter.stop();
      await Promise.all([keyUsage.stop(), requests?.stop()]);
    },
  };
}
