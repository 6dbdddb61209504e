/** Wires up the redirect service of a process: click journal, salts, geo database and redirects. Holds no logic. */
import type pg from 'pg';
import type { Registry } from 'prom-client';
import { createPasswordHasher } from '../../../core/auth/identity/password-hash.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { type Config, ConfigError } from '../../../platform/config/config.ts';
import type { GetPerson } from '../../../core/auth/person-lookup.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { Before } from '../../../platform/http/server.ts';
import { assertOwnJournals, claimJournals } from '../../../platform/journal/journal-database.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { createClickJournal, journalsFolder, type ProcessClickJournal } from '../clicks/click-journal.ts';
import { createSalts } from '../clicks/salt.ts';
import { createLinkExhausted } from './link-exhausted.ts';
import { createRedirects } from './redirects.ts';
import { openGeoDatabase } from '../visitor/geo-location.ts';

export interface RedirectServiceDeps {
  config: Config;
  /** A separate connection pool, so that control queries don't queue behind requests. */
  controlPool: pg.Pool;
  control: Database;
  units: Pick<Units, 'write'>;
  getPerson: GetPerson;
  secrets: SecretBox;
  registry: Registry;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
}

export interface RedirectService {
  /** Request hook that runs before all routes. */
  before: Before;
  journal: ProcessClickJournal;
  /** Whether redirects can be served, even while the database is unreachable. */
  isUseful(): boolean;
  /** Health check for `/readyz`. Throws if the process only serves redirects and clicks cannot be recorded. */
  check(): 'ok' | 'degraded';
  start(): void;
  /** Flushes and closes everything. Call after the last response. */
  stop(): Promise<void>;
}

async function openJournal({
  config,
  control,
  log,
  registry,
}: RedirectServiceDeps): Promise<ProcessClickJournal> {
  const root = journalsFolder(config.DATA_DIR);
  const isAssigned = await assertOwnJournals(control, root, 'clicks');
  try {
    const journal = await createClickJournal({
      dataDir: config.DATA_DIR,
      sync: config.CLICK_SYNC,
      log,
      registry,
    });
    if (!isAssigned) await claimJournals(control, root);
    return journal;
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR (${config.DATA_DIR}) is not writable, but clicks of short links are stored there: ${(error as Error).message}`,
    );
  }
}

/**
 * Creates the redirect service.
 * @throws ForeignJournalsError
 * @throws ConfigError if DATA_DIR is not writable or GEOIP_DB is not readable
 */
export async function createRedirectService(deps: RedirectServiceDeps): Promise<RedirectService> {
  const { config, control, log } = deps;
  const geoDatabase = openGeoDatabase(config.GEOIP_DB, log);
  const journal = await openJournal(deps);
  const salts = createSalts({ db: control, log });
  const redirects = createRedirects({
    ...deps,
    journal,
    salts,
    geoDatabase,
    // One hash at a time: a flood of password attempts must leave threads of libuv's four to journal writes.
    hasher: createPasswordHasher({ atOnce: 1 }),
    exhaustion: createLinkExhausted(config.baseUrl),
  });
  const isUseful = (): boolean => journal.state() === 'ok';
  return {
    before: redirects.before,
    journal,
    isUseful,
    check() {
      if (isUseful()) return redirects.check();
      if (config.ROLE === 'redirect') throw new Error('clicks cannot be recorded');
      return 'degraded';
    },
    start() {
      salts.start();
      redirects.start();
    },
    async stop() {
      await redirects.stop();
      await salts.stop();
      await journal.close();
      geoDatabase.close();
    },
  };
}
