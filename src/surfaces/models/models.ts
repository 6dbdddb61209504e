/** Wires up models: providers, routes, calls and budgets. Holds no logic. */
import type { Registry } from 'prom-client';
import type { Guard } from '../../core/auth/guard.ts';
import type { AppUnits } from '../../core/unit-of-work.ts';
import type { GetPerson } from '../../core/workspaces/person-lookup.ts';
import type { Quotas } from '../../core/workspaces/quota.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { currentTime } from '../../platform/time/clock.ts';
import { createCallMemory } from './calls/call-memory.ts';
import { createCalls } from './calls/call.service.ts';
import { createContentWriter } from './call-log/content-writer.ts';
import { createCatalog } from './catalog/catalog.ts';
import type { CallJournal } from './ledger/call-journal.ts';
import { deleteOldUsage } from './ledger/call-retention.ts';
import { createCallLedger } from './ledger/ledger.ts';
import { createModelPort } from './model-port.ts';
import type { ModelsOperationDeps } from './models-operations.ts';
import { executeRefresh, enqueueDueProviders } from './providers/refresh.ts';
import { createTestCall } from './providers/test-call.ts';

export interface ModelsDeps {
  db: Database;
  /** A separate connection pool, so that control queries don't queue behind requests. */
  control: Database;
  units: AppUnits;
  guard: Guard;
  secrets: SecretBox;
  egress: Egress;
  quotas: Quotas;
  getPerson: GetPerson;
  registry: Registry;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  /** Whether this process runs background work. */
  inBackground: boolean;
  /** Where this process records its calls; null if it has no directory that stays. */
  journaled: { journal: CallJournal; dataDir: string } | null;
}

export interface Models {
  /** Dependencies of the API operations. */
  forOperations: ModelsOperationDeps;
  /** Calls models on behalf of other features. */
  port: ReturnType<typeof createModelPort>;
  /** Registers job handlers and schedules. Call before `jobs.start`. */
  registerJobs(jobs: Jobs): void;
  /** Starts what renews and expires leases of calls. */
  start(): void;
  stop(): Promise<void>;
}

export function createModels(deps: ModelsDeps): Models {
  const { db, control, units, guard, secrets, egress, quotas, log, registry, inBackground } = deps;
  const ledger = createCallLedger({
    units,
    control,
    log,
    registry,
    inBackground,
    journaled: deps.journaled ?? undefined,
  });
  const catalog = createCatalog({ db, units, secrets, dispatcher: egress.longDispatcher, log });
  const storeContent = createContentWriter({ db, secrets, log });
  const calls = createCalls({ catalog, ledger, storeContent, log });
  const refresh = { egress, secrets };
  return {
    forOperations: {
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
    },
    port: createModelPort({ catalog, calls }),
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
