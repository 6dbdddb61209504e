/** Composes what a process needs to follow short links: journal, salts, places, redirects; nothing else. */
import type pg from 'pg';
import type { Registry } from 'prom-client';
import { createPasswordHasher } from '../../core/auth/identity/password-hash.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import { type Config, ConfigError } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Units } from '../../core/unit-of-work.ts';
import type { Before } from '../../platform/http/server.ts';
import { createClickJournal, type ProcessJournal } from './clicks/journal.ts';
import { createSalts } from './clicks/salt.ts';
import { createLinkExhausted } from './link-exhausted.ts';
import { createRedirects } from './redirect/redirects.ts';
import { openGeoDatabase } from './visitor/geo-location.ts';

export interface RedirectServiceDeps {
  config: Config;
  /** Connections that don't wait behind requests. */
  controlPool: pg.Pool;
  control: Database;
  units: Pick<Units, 'write'>;
  secrets: SecretBox;
  registry: Registry;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

export interface RedirectService {
  /** What stands in front of everything. */
  before: Before;
  journal: ProcessJournal;
  /** Whether visits are sent on, the database being there or not. */
  isUseful(): boolean;
  /** For `/readyz`. Throws where nothing else is done by this process, and clicks can't be recorded. */
  check(): 'ok' | 'degraded';
  start(): void;
  /** After the last answer. */
  stop(): Promise<void>;
}

async function openJournal({ config, log, registry }: RedirectServiceDeps): Promise<ProcessJournal> {
  try {
    return await createClickJournal({ dataDir: config.DATA_DIR, sync: config.CLICK_SYNC, log, registry });
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR (${config.DATA_DIR}) can't be written, and clicks of short links are kept there: ${(error as Error).message}`,
    );
  }
}

/** @throws ConfigError where DATA_DIR can't be written, or GEOIP_DB not be read */
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
    // One at once: a flood of guesses must leave threads to the journal, whose writes share libuv's four.
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
      if (config.ROLE === 'redirect') throw new Error('clicks can not be recorded');
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
