/** The surfaces of the product, each named once, and their combined declarations. */
import { core } from '../core/core.ts';
import type { EventKinds } from '../core/events/event-type.service.ts';
import type { Subscribed } from '../core/events/wants.ts';
import type { SealedColumn } from '../core/sealed-column.ts';
import type { RunningSurface, Surface, SurfaceDeps } from '../core/surface.ts';
import type { FindFilterTargets } from '../core/webhooks/webhook-filters.ts';
import { type CountResource, QUOTA_RESOURCES, type QuotaResource } from '../core/workspaces/quota.ts';
import type { SumModelCalls } from '../core/workspaces/usage.service.ts';
import type { Config } from '../platform/config/config.ts';
import type { PartitionedTable } from '../platform/db/partitions.ts';
import { mailQueues, type QueueTable } from '../platform/jobs/queue-rules.ts';
import { automationSurface, createAutomation } from '../surfaces/automation/automation.ts';
import { createLinks, linksSurface } from '../surfaces/links/links.ts';
import { createMessaging, messagingSurface } from '../surfaces/messaging/messaging.ts';
import { createModels, modelsSurface } from '../surfaces/models/models.ts';
import { createChannels } from './channels.ts';

/** In the order of the API reference. */
export const SURFACES: readonly Surface[] = [
  messagingSurface,
  linksSurface,
  automationSurface,
  modelsSurface,
];
const ALL: readonly Omit<Surface, 'operations'>[] = [core, ...SURFACES];

/** @throws Error if two parts have the same name */
function merge(parts: readonly (object | undefined)[]): object {
  const entries = parts.flatMap((part) => Object.entries(part ?? {}));
  const merged = Object.fromEntries(entries) as object;
  if (Object.keys(merged).length < entries.length) throw new Error('Two surfaces declare the same name');
  return merged;
}

/** Tests check that each of the following is complete. */
export const EVENT_KINDS = merge(ALL.map(({ events }) => events)) as EventKinds;
const counters = merge(ALL.map((one) => one.counters)) as Record<QuotaResource, CountResource>;
export const COUNTERS = Object.fromEntries(
  QUOTA_RESOURCES.map((resource) => [resource, counters[resource]]),
) as Record<QuotaResource, CountResource>;
export const FILTER_TARGETS = merge(ALL.map(({ filterTargets }) => filterTargets)) as FindFilterTargets;
export const QUEUES = merge([mailQueues, ...ALL.map(({ queues }) => queues)]) as QueueTable;
export const SEALED_COLUMNS: readonly SealedColumn[] = ALL.flatMap(({ sealedColumns = [] }) => sealedColumns);

/** Tables that are partitioned by day, besides those of events. */
export const getPartitions = (config: Pick<Config, 'CLICKS_KEPT_DAYS'>): PartitionedTable[] =>
  ALL.flatMap(({ partitions }) => partitions?.(config) ?? []);

/** Workspaces in which webhooks or rules subscribe to an event type. */
export const subscribed: Subscribed = async (db, workspaceIds, type) => {
  const found: string[] = [];
  for (const one of ALL) found.push(...((await one.subscribed?.(db, workspaceIds, type)) ?? []));
  return found;
};

export interface RunningSurfaces {
  all: readonly RunningSurface[];
  sumModelCalls: SumModelCalls;
}

/** Starts the surfaces, and gives each the ports of the others. */
export async function createSurfaces(deps: SurfaceDeps): Promise<RunningSurfaces> {
  const channels = createChannels({ ...deps, baseUrl: deps.config.baseUrl });
  const messaging = createMessaging({
    ...deps,
    channels,
    // Links need the files of messaging.
    shortener: {
      measure: (...given) => links.shortener.measure(...given),
      shorten: (...given) => links.shortener.shorten(...given),
    },
  });
  const links = await createLinks({ ...deps, importFiles: messaging.importFiles });
  const models = await createModels(deps);
  const automation = createAutomation({
    ...deps,
    messages: messaging.port,
    links: links.port,
    models: models.port,
  });
  return { all: [messaging, links, automation, models], sumModelCalls: models.sumModelCalls };
}
