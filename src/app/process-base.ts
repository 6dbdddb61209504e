/** What a process is built on: its databases, what it measures, and what it learns from and tells other processes. */
import { Registry } from 'prom-client';
import { createCors } from '../core/api/cors.ts';
import { createRateLimiter } from '../core/api/rate-limit.ts';
import { startEpoch } from '../core/auth/epoch.ts';
import { startKeyUsage } from '../core/auth/key-usage.ts';
import { createPersonLookup } from '../core/auth/person-lookup.ts';
import { startRequestRecorder } from '../core/requests/request-recorder.ts';
import { measureBackups } from '../ops/backup/last-backup.ts';
import { startClockGuard } from '../platform/db/clock-guard.ts';
import { openDatabase, openRequestDatabase } from '../platform/db/database.ts';
import { createIndexBuilder } from '../platform/db/index-builds.ts';
import { createListener } from '../platform/db/listener.ts';
import { createEgress } from '../platform/egress/egress.ts';
import { createMetrics } from '../platform/process-metrics/metrics.ts';
import { createStorage } from '../platform/storage/storage.ts';
import type { AppDeps } from './app-deps.ts';

export function createProcessBase(deps: AppDeps) {
  const { config, log, pool, controlPool, direct } = deps;
  const inBackground = config.ROLE === 'all' || config.ROLE === 'worker';
  const answersCalls = config.ROLE === 'all' || config.ROLE === 'api';
  const db = openDatabase(pool);
  const control = openDatabase(controlPool);
  const metrics = createMetrics(new Registry(), { requests: pool, control: controlPool });
  const { registry } = metrics;
  const storage = createStorage({ config, registry, log, read: deps.readDisk });
  measureBackups(registry, config.DATA_DIR);
  const epoch = startEpoch(control, (err) => log.warn({ err }, 'could not read the auth epoch'));
  const keyUsage = startKeyUsage(db, (err) =>
    log.warn({ err }, 'could not record when API keys were last used'),
  );
  const requests = answersCalls ? startRequestRecorder({ db, log, registry }) : null;
  const limiter = createRateLimiter(db);
  const listener = createListener({ connection: direct, log });
  const refreshEpoch = (): void => void epoch.refresh().catch(() => undefined); // the next poll reports errors
  listener.on('epoch', refreshEpoch);
  const clockGuard = inBackground ? startClockGuard(control, log) : null;
  return {
    inBackground,
    answersCalls,
    db,
    requestDb: openRequestDatabase(pool),
    control,
    metrics,
    registry,
    storage,
    epoch,
    refreshEpoch,
    keyUsage,
    /** The log of API requests; null in processes that answer none. */
    requests,
    limiter,
    cors: createCors(db, epoch),
    listener,
    indexBuilder: inBackground ? createIndexBuilder({ db: control, connection: direct, log }) : null,
    egress: createEgress({ allow: config.EGRESS_ALLOW, ...deps.egress }),
    getPerson: createPersonLookup(db),
    /** Ends it, once nothing else of the process is left. */
    async stop(): Promise<void> {
      await Promise.all([listener.stop(), clockGuard?.stop()]);
      storage.stop();
      epoch.stop();
      await limiter.stop();
      await Promise.all([keyUsage.stop(), requests?.stop()]);
    },
  };
}

export type ProcessBase = ReturnType<typeof createProcessBase>;
