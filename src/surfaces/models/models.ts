/** Wires up models: providers, routes, calls and budgets. Holds no logic. */
import { OF_WORKSPACE, ofIds } from '../../core/sealed-column.ts';
import type { RunningSurface, Surface, SurfaceDeps } from '../../core/surface.ts';
import { currentTime } from '../../platform/time/clock.ts';
import { budgetEvents } from './budgets/budget.events.ts';
import { countBudgets } from './budgets/budget.store.ts';
import { callContentContext } from './call-log/call-content.ts';
import { createCallMemory } from './contract/call-memory.ts';
import { createCalls } from './calls/call.service.ts';
import { createContentWriter } from './call-log/content-writer.ts';
import { createCatalog } from './catalog/catalog.ts';
import { openCallJournal } from './ledger/call-journal.ts';
import { deleteOldUsage, modelCallPartitions } from './ledger/call-retention.ts';
import { createCallLedger } from './ledger/ledger.ts';
import { createModelPort } from './model-port.ts';
import { modelsQueues } from './models-jobs.ts';
import { modelsOperations } from './models-operations.ts';
import { providerEvents } from './providers/provider.events.ts';
import { providerSecretsContext } from './providers/provider-secrets.ts';
import { countProviders } from './providers/provider.store.ts';
import { executeRefresh, enqueueDueProviders } from './providers/refresh.ts';
import { sumModelCalls } from './usage/month-usage.store.ts';
import { createTestCall } from './calls/test-call.ts';
import { countRoutes } from './routes/route.store.ts';

/** Declares AI models. */
export const modelsSurface: Surface = {
  events: { ...providerEvents, ...budgetEvents },
  counters: { model_providers: countProviders, model_routes: countRoutes, budgets: countBudgets },
  queues: modelsQueues,
  partitions: () => modelCallPartitions,
  sealedColumns: [
    {
      table: 'model_providers',
      key: OF_WORKSPACE,
      values: [{ column: 'secrets_sealed', context: ofIds(providerSecretsContext) }],
    },
    {
      table: 'model_call_contents',
      key: OF_WORKSPACE,
      values: [{ column: 'content_sealed', context: ofIds(callContentContext) }],
    },
  ],
  operations: modelsOperations,
};

export interface Models extends RunningSurface {
  /** Calls models on behalf of other features. */
  port: ReturnType<typeof createModelPort>;
  sumModelCalls: typeof sumModelCalls;
}

/** Opens the journal of calls; null in a process that has no directory that stays. */
async function openJournal({ config, control, registry, log }: SurfaceDeps) {
  if (config.ROLE !== 'all') return undefined;
  const dataDir = config.DATA_DIR;
  return { journal: await openCallJournal({ dataDir, db: control, registry, log }), dataDir };
}

export async function createModels(deps: SurfaceDeps): Promise<Models> {
  const { db, control, units, guard, secrets, egress, quotas, log, registry, inBackground } = deps;
  const journaled = await openJournal(deps);
  const ledger = createCallLedger({ units, control, log, registry, inBackground, journaled });
  const catalog = createCatalog({ db, units, secrets, dispatcher: egress.longDispatcher, log });
  const storeContent = createContentWriter({ db, secrets, log });
  const calls = createCalls({ catalog, ledger, storeContent, log });
  const refresh = { egress, secrets };
  return {
    operations: modelsOperations({
      guard,
      quotas,
      ledger,
      calls,
      memory: createCallMemory(deps.getPerson),
      catalog,
      ...refresh,
      assertUrlAllowed: egress.assertUrlAllowed,
      targetOf: catalog.targetOf,
      catalogChanged: catalog.changed,
      testCall: createTestCall({ ledger, storeContent, log }),
    }),
    port: createModelPort({ catalog, calls }),
    sumModelCalls,
    registerJobs(jobs) {
      jobs.schedule('model-usage.delete-old', '13 * * * *', (signal) =>
        deleteOldUsage(db, currentTime(), signal),
      );
      jobs.work('model-providers.refresh', (payload, { signal }) =>
        executeRefresh(units, refresh, payload, signal),
      );
      jobs.schedule('model-providers.refresh-due', '* * * * *', (signal) =>
        enqueueDueProviders(units, currentTime, signal),
      );
    },
    start: ledger.start,
    async stop() {
      await ledger.stop();
      await catalog.stop();
    },
  };
}
