/** Composes the product: which modules, in which order; nothing else. */
import type { FastifyInstance } from 'fastify';
import packageJson from '../../package.json' with { type: 'json' };
import type { AppDeps } from './app-deps.ts';
import { createFailureLimiter } from '../core/auth/failure-limiter.ts';
import { createIdentity } from '../core/auth/identity/identity.ts';
import { findFirstOwner } from '../core/auth/first-owner.system-store.ts';
import { createPasswordHasher } from '../core/auth/identity/password-hash.ts';
import { createGuard } from '../core/auth/guard.ts';
import { registerAnswers } from './routes.ts';
import { registerBackgroundWork } from './background.ts';
import { createAppUnits } from '../core/unit/unit-of-work.ts';
import { createEventTypes } from '../core/events/event-type.service.ts';
import { createEventLog } from '../core/events/stream/event-log.ts';
import { countMessages } from '../core/activity/message-stats.system-store.ts';
import { joinFanOuts } from '../core/events/sequencer.system-store.ts';
import { createProcessBase } from './process-base.ts';
import { registerProcessHealth } from './process-health.ts';
import { getLocatedClicks } from './server-status.routes.ts';
import { CORE_KINDS } from '../core/core.ts';
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
import type { Operation } from '../core/api/operation.ts';
import { createServer } from '../platform/http/server.ts';
import { endOpenAnswers } from '../core/api/stream.ts';
import { createJobs } from '../platform/jobs/jobs.ts';
import { createSendLater } from '../platform/mail/mail-job.ts';
import { createMailer } from '../platform/mail/mailer.ts';
import { allOperations } from './operations.ts';
import { createDeliveryEngine } from '../core/webhooks/delivery/delivery-engine.ts';
import { createDeliveryExchange } from '../core/webhooks/delivery-transport.ts';
import { createInspectorReceiver } from '../core/webhooks/inspector-receiver.ts';
import { createDisableBySystem } from '../core/webhooks/webhook-disabling.ts';
import { exceptInspector } from '../core/webhooks/webhook-url.ts';
import { getTracingSettings } from '../platform/tracing/tracing-settings.ts';
import { startTracing } from '../platform/tracing/tracing.ts';
import { createQuotas } from '../core/workspaces/quota.ts';

export interface App {
  server: FastifyInstance;
  operations: Operation[];
  /** Completes running requests, then stops all work of this process. */
  stop(): Promise<void>;
}

export async function createApp(deps: AppDeps): Promise<App> {
  const { config, log, pool, controlPool, secrets, isFirst, pages } = deps;
  const stopTracing = await startTracing(getTracingSettings(config, packageJson.version), log);
  const base = createProcessBase(deps);
  const { inBackground, answersCalls, db, requestDb, control, registry, storage, epoch, listener } = base;
  const { egress, getPerson, refreshEpoch } = base;
  const eventTypes = createEventTypes(EVENT_KINDS);
  const inspector = createInspectorReceiver({ db: requestDb, secrets, getPerson });
  const exchange = createDeliveryExchange({ baseUrl: config.baseUrl, receiver: inspector, egress, log });
  const templates = createTemplatePool({ registry, log });
  const deliveries = createDeliveryEngine({
    control,
    secrets,
    log,
    registry,
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
    registry,
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
    registry,
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
    ...base,
    config,
    controlPool,
    units,
    guard,
    secrets,
    quotas,
    eventTypes,
    interestedWorkspaces: eventLog.interest.wantedBy,
    liveEvents: eventLog.liveEvents,
    exchange,
    templates,
    log,
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
    base.metrics.answered,
    undefined,
    surfaces.find(({ before }) => before)?.before,
  );
  registerProcessHealth(server, {
    ...deps,
    base,
    eventLog,
    deliveries,
    surfaces,
    isStopping: () => stopping,
  });
  if (base.requests)
    registerAnswers(server, {
      ...base,
      config,
      requests: base.requests,
      units: units.forRequests,
      guard,
      secrets,
      identity,
      inspector,
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
    base.indexBuilder?.start();
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
      // Each takes seconds to end its current work, and all of them together may take ten.
      await Promise.all([
        jobs.stop(),
        base.indexBuilder?.stop(),
        deliveries.stop(),
        ...surfaces.map((surface) => surface.stop?.()),
      ]);
      await templates.stop();
      mailer.close();
      await eventLog.stop();
      await egress.close();
      await Promise.all(surfaces.flatMap((surface) => surface.close?.() ?? []));
      await base.stop();
      await stopTracing();
    },
  };
}
