/**
 * Composes clicks for a process that redirects: the journal that they are recorded in, the salts of visitors, the
 * journals of processes that ended, and the loader; nothing else.
 */
import type { Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import type { Units } from '../../db/unit.ts';
import type { WantedBy } from '../../events/wants.ts';
import { createAdoption } from './adoption.ts';
import { describeLinks } from './click-events.ts';
import { createClickJournal, type ProcessJournal } from './journal.ts';
import { createLoader } from './loader.ts';
import { createSalts, type Salts } from './salt.ts';

export interface ClicksDeps {
  config: Pick<Config, 'DATA_DIR' | 'CLICK_SYNC' | 'CLICKS_KEPT_DAYS' | 'baseUrl'>;
  db: Database;
  units: Units;
  wantedBy: WantedBy;
  registry: Registry;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

export interface Clicks {
  journal: ProcessJournal;
  salts: Pick<Salts, 'saltOf'>;
  /** For `/readyz`: degraded while clicks wait for long, failed (thrown) while none can be recorded. */
  check(): 'ok' | 'degraded';
  start(): void;
  /** After the last redirect. What is not loaded by then is loaded after the next start, here or elsewhere. */
  stop(): Promise<void>;
}

/** @throws where the folder of the journal can't be made */
export async function openClicks(deps: ClicksDeps): Promise<Clicks> {
  const { config, db, units, wantedBy, registry, log } = deps;
  const dataDir = config.DATA_DIR;
  const journal = await createClickJournal({ dataDir, sync: config.CLICK_SYNC, log, registry });
  const adoption = createAdoption({ dataDir, journal, db, log });
  const salts = createSalts({ db, log });
  const loader = createLoader({
    units,
    log,
    registry,
    wantedBy,
    describeLinks: describeLinks(config.baseUrl),
    keptDays: config.CLICKS_KEPT_DAYS,
    sources: adoption.sources,
    onFinished: adoption.finished,
  });
  return {
    journal,
    salts,
    check() {
      if (journal.state() === 'failed')
        throw new Error('clicks can not be recorded, so no short link is followed');
      return loader.check();
    },
    start() {
      salts.start();
      adoption.start();
      loader.start();
    },
    async stop() {
      await loader.stop();
      await adoption.stop();
      await salts.stop();
      await journal.close();
    },
  };
}
