/** Composes what brings clicks into the database where a process follows links: adoption and loader; nothing else. */
import type { Registry } from 'prom-client';
import type { Config } from '../../../platform/config/config.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Units } from '../../../core/unit-of-work.ts';
import type { InterestedWorkspaces } from '../../../core/events/wants.ts';
import { createOrphanRecovery } from './orphan-recovery.ts';
import { describeLinks } from './click-events.ts';
import type { ProcessJournal } from './journal.ts';
import { createLoader } from './loader.ts';

export interface ClickLoadingDeps {
  config: Pick<Config, 'DATA_DIR' | 'CLICKS_KEPT_DAYS' | 'baseUrl'>;
  db: Database;
  units: Units;
  wantedBy: InterestedWorkspaces;
  /** The process's own. */
  journal: ProcessJournal;
  registry: Registry;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

export interface ClickLoading {
  /** For `/readyz`: degraded while clicks wait for more than a minute. */
  check(): 'ok' | 'degraded';
  start(): void;
  /** Before the journal closes. What is not loaded by then is loaded after the next start, here or elsewhere. */
  stop(): Promise<void>;
}

export function createClickIngestion(deps: ClickLoadingDeps): ClickLoading {
  const { config, db, units, wantedBy, journal, registry, log } = deps;
  const adoption = createOrphanRecovery({ dataDir: config.DATA_DIR, journal, db, log });
  const loader = createLoader({
    units,
    log,
    registry,
    wantedBy,
    describeLinks: describeLinks(config.baseUrl),
    keptDays: config.CLICKS_KEPT_DAYS,
    sources: adoption.sources,
    press: journal.press,
    onFinished: adoption.finished,
  });
  return {
    check: loader.check,
    start() {
      adoption.start();
      loader.start();
    },
    async stop() {
      await loader.stop();
      await adoption.stop();
    },
  };
}
