/** Wires up click ingestion in a process that redirects: orphan recovery and loader. Holds no logic. */
import type { Registry } from 'prom-client';
import type { Config } from '../../../platform/config/config.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { InterestedWorkspaces } from '../../../core/events/wants.ts';
import { createOrphanRecovery } from '../../../platform/journal/orphan-recovery.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { describeLinks } from './click-events.ts';
import { CLICKS, journalsFolder, type ProcessClickJournal } from './click-journal.ts';
import { createClickLoader } from './click-loader.ts';

export interface ClickLoadingDeps {
  config: Pick<Config, 'DATA_DIR' | 'CLICKS_KEPT_DAYS' | 'baseUrl'>;
  db: Database;
  units: Units;
  interestedWorkspaces: InterestedWorkspaces;
  /** The journal of this process. */
  journal: ProcessClickJournal;
  registry: Registry;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
}

export interface ClickLoading {
  /** Health check for `/readyz`: degraded while clicks have waited for more than a minute. */
  check(): 'ok' | 'degraded';
  start(): void;
  /**
   * Stops loading. Call before the journal is closed. Unloaded clicks are loaded after the next start of any process.
   */
  stop(): Promise<void>;
}

export function createClickIngestion(deps: ClickLoadingDeps): ClickLoading {
  const { config, db, units, interestedWorkspaces, journal, registry, log } = deps;
  const orphanRecovery = createOrphanRecovery({
    ...CLICKS,
    root: journalsFolder(config.DATA_DIR),
    journal,
    db,
    log,
  });
  const loader = createClickLoader({
    units,
    log,
    registry,
    interestedWorkspaces,
    describeLinks: describeLinks(config.baseUrl),
    retentionDays: config.CLICKS_KEPT_DAYS,
    sources: orphanRecovery.sources,
    redirectLoad: journal.load,
    onFinished: orphanRecovery.finished,
  });
  return {
    check: loader.check,
    start() {
      orphanRecovery.start();
      loader.start();
    },
    async stop() {
      await loader.stop();
      await orphanRecovery.stop();
    },
  };
}
