/** The health and the metrics of a process: its own checks and those of its surfaces. */
import type { FastifyInstance } from 'fastify';
import type { EventLog } from '../core/events/stream/event-log.ts';
import type { RunningSurface } from '../core/surface.ts';
import { checkIndexBuilds } from '../platform/db/index-builds.ts';
import type { Check } from '../platform/http/health-check.ts';
import type { AppDeps } from './app-deps.ts';
import { checkDatabase } from './check-database.ts';
import { registerHealth } from './health.routes.ts';
import type { ProcessBase } from './process-base.ts';

interface ProcessHealthDeps extends Pick<AppDeps, 'config' | 'log' | 'gatherMetrics'> {
  base: Pick<ProcessBase, 'epoch' | 'storage' | 'control' | 'registry'>;
  eventLog: Pick<EventLog, 'partitions'>;
  deliveries: { check: Check };
  surfaces: readonly RunningSurface[];
  isStopping: () => boolean;
}

export function registerProcessHealth(server: FastifyInstance, deps: ProcessHealthDeps): void {
  const { config, log, gatherMetrics, base, eventLog, deliveries, surfaces, isStopping } = deps;
  const { registry, epoch, storage, control } = base;
  registerHealth(server, {
    config,
    metrics: gatherMetrics?.(registry) ?? (() => registry.metrics()),
    isStopping,
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
}
