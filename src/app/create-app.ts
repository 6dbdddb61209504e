/** Composes the product: which modules, in which order; nothing else. */
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import type { AppDeps } from './app-deps.ts';
import { startEpoch } from '../core/auth/epoch.ts';
import { createFailureLimiter } from '../core/auth/failure-limiter.ts';
import { createIdentity } from '../core/auth/identity/identity.ts';
import { createPersonLookup } from '../core/auth/person-lookup.ts';
import { findFirstOwner } from '../core/auth/first-owner.system-store.ts';
import { createPasswordHasher } from '../core/auth/identity/password-hash.ts';
import { createGuard } from '../core/auth/guard.ts';
import { startKeyUsage } from '../core/auth/key-usage.ts';
import { registerAnswers } from './routes.ts';
import { registerBackgroundWork } from './background.ts';
import { openDatabase, openRequestDatabase } from '../platform/db/database.ts';
import { startClockGuard } from '../platform/db/clock-guard.ts';
import { checkIndexBuilds, createIndexBuilder } from '../platform/db/index-builds.ts';
import { createListener } from '../platform/db/listener.ts';
import { createAppUnits } from '../core/unit/unit-of-work.ts';
import { createEventTypes } from '../core/events/event-type.service.ts';
import { createEventLog } from '../core/events/stream/event-log.ts';
import { countMessages } from '../core/activity/message-stats.system-store.ts';
import { joinFanOuts } from '../core/events/sequencer.system-store.ts';
import { createCors } from '../core/api/cors.ts';
import { createEgress } from '../platform/egress/egress.ts';
import { registerHealth } from './health.routes.ts';
import { getLocatedClicks } from './server-status.routes.ts';
import { CORE_KINDS } from '../core/core.ts';
import { checkDatabase } from './check-database.ts';
import {
  COUNTERS,
  createSurfaces,
  EVENT_KINDS,
  FILTER_TARGETS,
  getPartitions,
  QUEUES,
  subscribed,
} from './surfaces.ts';
import { createTemplatePool } from '../platform/templates/template-pool.ts';
import { createMetrics } from '../platform/process-metrics/metrics.ts';
import type { Operation } from '../core/api/operation.ts';
import { startRequestRecorder } from '../core/requests/request-recorder.ts';
import { createRateLimiter } from '../core/api/rate-limit.ts';
import { createServer } from '../platform/http/server.ts';
import { endOpenAnswers } from '../core/api/stream.ts';
import { createJobs } from '../platform/jobs/jobs.ts';
import { createSendLater } from '../platform/mail/mail-job.ts';
import { createMailer } from '../platform/mail/mailer.ts';
import { allOperations } from './operations.ts';
import { createStorage } from '../platform/storage/storage.ts';
import { measureBackups } from '../ops/backup/last-backup.ts';
import { createDeliveryEngine } from '../core/webhooks/delivery/delivery-engine.ts';
import { createDeliveryExchange } from '../core/webhooks/delivery-transport.ts';
import { createInspectorReceiver } from '../core/webhooks/inspector-receiver.ts';
import { createDisableBySystem } from '../core/webhooks/webhook-disabling.ts';
import { exceptInspector } from '../core/webhooks/webhook-url.ts';
import { createQuotas } from '../core/workspaces/quota.ts';

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
  const indexBuilder = inBackground ? createIndexBuilder({ db: control, connection: direct, log }) : null;
  const clockGuard = inBackground ? startClockGuard(control, log) : null;
  const egress = createEgress({ allow: config.EGRESS_ALLOW, ...deps.egress });
  const getPerson = createPersonLookup(db);
  const inspector = createInspectorReceiver({ db: requestDb, secrets, getPerson });
  const exchange = createDeliveryExchange({ baseUrl: config.baseUrl, receiver: inspector, egress, log });
  const templates = createTemplatePool({ registry: metrics.registry, log });
  const deliveries = createDeliveryEngine({
    control,
    secrets,
    log,
    registry: metrics.registry,
    sends: inBackground,
    exchange,
    rendering: { templates, eventTypes, baseUrl: config.baseUrl },
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
    fanOut: joinFanOuts(countMessages, deliveries.fanOut, async (...given) => {
      for (const surface of surfaces) await surface.fanOut?.(...given);
    }),
    onSequenced: deliveries.onSequenced,
    subscribed,
    partitioned: getPartitions(config),
  });
  const jobs = createJobs({
    pool,
    db,
    log,
    queues: QUEUES,
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
  const { all: surfaces, sumModelCalls } = await createSurfaces({
    config,
    db,
    control,
    controlPool,
    units,
    guard,
    secrets,
    egress,
    listener,
    quotas,
    getPerson,
    eventTypes,
    interestedWorkspaces: eventLog.interest.wantedBy,
    liveEvents: eventLog.liveEvents,
    exchange,
    templates,
    storage,
    registry: metrics.registry,
    log,
    inBackground,
    passwordCost: deps.passwordCost,
  });
  const createdKinds = [...CORE_KINDS, ...surfaces.flatMap((one) => one.createdKinds ?? [])];
  const operations = allOperations({
    ...deps,
    eventTypes,
    baseUrl: config.baseUrl,
    sendLater: mailer.enabled ? sendLater : null,
    quotas,
    guard,
    createdKinds,
    sumModelCalls,
    db,
    liveTail: eventLog.liveTail,
    getPerson,
    liveEvents: eventLog.liveEvents,
    interest: eventLog.interest,
    assertUrlAllowed: exceptInspector(config.baseUrl, egress.assertUrlAllowed),
    filterTargets: FILTER_TARGETS,
    templates,
    wakeDeliveries: deliveries.wake,
    async workspaceDeleted(unit, workspaceId) {
      for (const surface of surfaces) await surface.workspaceDeleted?.(unit, workspaceId);
    },
    async clickAddressesChanged(unit, workspaceId) {
      for (const surface of surfaces) await surface.clickAddressesChanged?.(unit, workspaceId);
    },
    workspacesPerUser: config.WORKSPACES_PER_USER,
    locates: getLocatedClicks(config),
    storage,
    ofSurfaces: surfaces.flatMap((one) => one.operations),
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
    createdKinds,
    surfaces,
  });
  let stopping = false;
  const server = createServer(
    config,
    log,
    metrics.answered,
    undefined,
    surfaces.find(({ before }) => before)?.before,
  );
  registerHealth(server, {
    config,
    metrics: deps.gatherMetrics?.(metrics.registry) ?? (() => metrics.registry.metrics()),
    isStopping: () => stopping,
    isUseful: () => surfaces.some((one) => one.isUseful?.() === true),
    log,
    checks: Object.assign(
      { database: () => checkDatabase(epoch), storage: storage.check },
      ...surfaces.map(({ checks }) => checks),
    ),
    sharedChecks: Object.assign(
      {
        partitions: () => eventLog.partitions.check(),
        indexes: () => checkIndexBuilds(control),
        deliveries: () => deliveries.check(),
      },
      ...surfaces.map(({ sharedChecks }) => sharedChecks),
    ),
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
      surfaces,
      operations,
      pages,
    });

  await storage.start();
  await eventLog.start();
  if (isFirst && answersCalls) await identity.announceSetupToken();
  server.addHook('onListen', (done) => {
    listener.start();
    jobs.start();
    indexBuilder?.start();
    deliveries.start();
    for (const surface of surfaces) surface.start?.();
    done();
  });

  return {
    server,
    operations,
    async stop() {
      stopping = true;
      endOpenAnswers();
      await server.close();
      // Each takes seconds to end what is under way, and all of it together may take ten.
      await Promise.all([
        jobs.stop(),
        indexBuilder?.stop(),
        deliveries.stop(),
        ...surfaces.map((surface) => surface.stop?.()),
      ]);
      await templates.stop();
      mailer.close();
      await eventLog.stop();
      await egress.close();
      await Promise.all(surfaces.flatMap((surface) => surface.close?.() ?? []));
      await Promise.all([listener.stop(), clockGuard?.stop()]);
      storage.stop();
      epoch.stop();
      await limiter.stop();
      await Promise.all([keyUsage.stop(), requests?.stop()]);
    },
  };
}
