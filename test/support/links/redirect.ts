/** What follows links, on a database of its own or another's, with clicks kept in memory: for tests. */
import { readConfig } from '../../../src/platform/config/config.ts';
import { createSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import { createPasswordHasher } from '../../../src/core/auth/identity/password-hash.ts';
import { openDatabase, openPool, type PoolOptions } from '../../../src/platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../db.ts';
import { createUnits } from '../../../src/core/unit/unit-of-work.ts';
import { createLog } from '../../../src/platform/log.ts';
import { registerHealth } from '../../../src/app/health.routes.ts';
import { newUuid } from '../../../src/platform/http/ids.ts';
import { createServer } from '../../../src/platform/http/server.ts';
import { Registry } from 'prom-client';
import type { NewClick } from '../../../src/surfaces/links/clicks/click-record.ts';
import type { Exhaustion } from '../../../src/surfaces/links/redirect/budgets.ts';
import { createRedirects, type Redirects } from '../../../src/surfaces/links/redirect/redirects.ts';
import type { Route } from '../../../src/surfaces/links/redirect/route.ts';
import { appendRouteChanges } from '../../../src/surfaces/links/redirect/route-change.store.ts';

const TEST_SECRET = 'a secret for tests, 32 characters long';

export interface Redirector {
  base: string;
  database: TestDatabase;
  redirects: Redirects;
  registry: Registry;
  clicks: NewClick[];
  logged: string[];
  /** From now on what the journal is asked to keep fails, or no longer does. */
  failJournal(fails: boolean): void;
  stop(): Promise<void>;
}

/**
 * @param on whose database is shared
 * @param way another way to that database
 */
export async function startRedirector(
  env: Record<string, string> = {},
  on?: TestDatabase,
  more: { way?: PoolOptions; exhaustion?: Exhaustion; countries?: Record<string, string> } = {},
): Promise<Redirector> {
  const database = on ?? (await createTestDatabase());
  const connection = more.way ?? database.connection;
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'info', ...env });
  const logged: string[] = [];
  const log = createLog(config, { write: (line) => void logged.push(line) });
  const controlPool = openPool({ ...connection, max: 5 }, () => {});
  const pool = openPool({ ...connection, max: 8 }, () => {});
  const db = openDatabase(pool);
  const clicks: NewClick[] = [];
  const registry = new Registry();
  let fails = false;
  const salt = Buffer.alloc(32, 7);
  const redirects = createRedirects({
    getPerson: async (workspaceId) => workspaceId,
    config,
    controlPool,
    control: openDatabase(controlPool),
    units: createUnits({ db, events: {} as never, jobs: {} as never }),
    secrets: createSecretBox(TEST_SECRET),
    registry,
    journal: {
      append: (click, done) =>
        setImmediate(() => {
          if (fails) return done(new Error('the disk is full'));
          clicks.push(click);
          return done(null);
        }),
    },
    salts: { getSalt: () => salt },
    geoDatabase: { getLocation: (address) => ({ country: more.countries?.[address] ?? null, city: null }) },
    hasher: createPasswordHasher(),
    exhaustion: more.exhaustion ?? { lock: async () => {}, writeEvent: async () => {} },
    log,
  });
  const server = createServer(config, log, undefined, undefined, redirects.before);
  registerHealth(server, {
    config,
    log,
    metrics: () => registry.metrics(),
    isStopping: () => false,
    checks: { links: redirects.check },
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  redirects.start();
  const address = server.server.address();
  return {
    base: `http://localhost:${typeof address === 'object' && address ? address.port : 0}`,
    database,
    redirects,
    registry,
    clicks,
    logged,
    failJournal: (now) => (fails = now),
    async stop() {
      await server.close();
      await redirects.stop();
      await Promise.all([pool.end(), controlPool.end()]);
      if (!on) await database.drop();
    },
  };
}

export const PLAIN: Route = {
  url: 'https://example.com/there',
  status: 302,
  archived: false,
  expiresAt: null,
  expiredUrl: null,
  maxClicks: null,
  passwordHash: null,
  targeting: [],
  forwardQuery: false,
  card: null,
};

/** A workspace's row. @returns its ID */
export async function insertWorkspace({ pool }: TestDatabase): Promise<string> {
  const id = newUuid();
  await pool.query(
    `insert into workspaces (id, name, slug, created_at, updated_at) values ($1, 'W', $2, now(), now())`,
    [id, `w-${id}`],
  );
  return id;
}

/** Writes a route, and tells of it, in one transaction. @returns the link's ID */
export async function putRoute(
  { db, pool }: TestDatabase,
  workspaceId: string,
  slug: string,
  route: Partial<Route> = {},
  domain = '',
): Promise<string> {
  const linkId = newUuid();
  await pool.query(
    `insert into link_routes (domain, slug, workspace_id, link_id, route) values ($1, $2, $3, $4, $5)
     on conflict (domain, slug) do update set route = excluded.route`,
    [domain, slug, workspaceId, linkId, JSON.stringify({ ...PLAIN, ...route })],
  );
  if (route.maxClicks)
    await pool.query(`insert into link_budgets (workspace_id, link_id, max) values ($1, $2, $3)`, [
      workspaceId,
      linkId,
      route.maxClicks,
    ]);
  await appendRouteChanges(db, workspaceId, [{ domain, slug }]);
  return linkId;
}

/** A verified host. */
export async function putHost(
  { db, pool }: TestDatabase,
  workspaceId: string,
  host: string,
  urls: { notFound?: string; root?: string } = {},
): Promise<void> {
  const id = newUuid();
  await pool.query(
    `insert into domains (workspace_id, id, host, state, token, not_found_url, root_url, pending_since, created_at, updated_at)
     values ($1, $2, $3, 'verified', 't', $4, $5, now(), now(), now())`,
    [workspaceId, id, host, urls.notFound ?? null, urls.root ?? null],
  );
  await pool.query(`insert into hostnames (host, workspace_id, domain_id) values ($1, $2, $3)`, [
    host,
    workspaceId,
    id,
  ]);
  await appendRouteChanges(db, workspaceId, [{ domain: host, slug: null }]);
}
