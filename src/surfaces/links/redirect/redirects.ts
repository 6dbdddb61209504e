/** Wires up redirects: route cache, fast path, passwords, budgets and metrics. Holds no logic. */
import type pg from 'pg';
import type { Registry } from 'prom-client';
import type { PasswordHasher } from '../../../core/auth/identity/password-hash.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Database } from '../../../platform/db/database.ts';
import { createTimedQuery } from '../../../platform/db/timed-query.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { isServedHost } from '../../../platform/http/hosts.ts';
import type { Before } from '../../../platform/http/server.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { ClickJournal } from '../clicks/click-record.ts';
import type { Salts } from '../clicks/salt.ts';
import type { GeoDatabase } from '../visitor/geo-location.ts';
import { createResponder, NOTICES } from './answer.ts';
import type { GetPerson } from '../../../core/auth/person-lookup.ts';
import { createBudgets, type Exhaustion } from './budgets.ts';
import { createCallers } from './caller.ts';
import { createCounts } from './counts.ts';
import { createFastPath } from './fast-path.ts';
import { createUnlock } from './password-page.ts';
import { createRouteMap, LIMITS } from './route-map.ts';
import { createUnlocking } from './unlocking.ts';
import { createFollow, type VisitDeps } from './visit.ts';
import { createVisitors } from './visitor.ts';

export interface RedirectDeps {
  config: Pick<Config, 'baseUrl' | 'baseUrlIsSet' | 'TRUST_PROXY'>;
  /** A separate connection pool, so that control queries don't queue behind requests. Two connections are used. */
  controlPool: pg.Pool;
  control: Database;
  units: Pick<Units, 'write'>;
  getPerson: GetPerson;
  secrets: Pick<SecretBox, 'deriveAll'>;
  registry: Registry;
  journal: ClickJournal;
  salts: Pick<Salts, 'getSalt'>;
  geoDatabase: Pick<GeoDatabase, 'getLocation'>;
  hasher: Pick<PasswordHasher, 'verify'>;
  /** Emits the event of a link whose last click was granted. */
  exhaustion: Exhaustion;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  limits?: typeof LIMITS;
}

export interface Redirects {
  before: Before;
  /** Degraded while links are served from the cache only. */
  check(): 'ok' | 'degraded';
  start(): void;
  stop(): Promise<void>;
}

export function createRedirects(deps: RedirectDeps): Redirects {
  const { config, log, units, journal } = deps;
  const { baseUrl } = config;
  const map = createRouteMap({
    query: createTimedQuery(deps.controlPool, deps.control),
    log,
    limits: deps.limits ?? LIMITS,
  });
  const counts = createCounts(deps.registry, map);
  const callers = createCallers(config.TRUST_PROXY);
  const answers = createResponder(baseUrl);
  const fail: VisitDeps['fail'] = ({ request, response }, error) => {
    counts.failed++;
    log.error({ err: error }, 'redirect: visit failed');
    if (response.headersSent) response.destroy();
    else answers.notice(request, response, NOTICES.failed);
  };
  const follow = createFollow({
    journal,
    budgets: createBudgets({ units, getPerson: deps.getPerson, exhaustion: deps.exhaustion }),
    getVisitor: createVisitors({ callers, salts: deps.salts, geoDatabase: deps.geoDatabase }),
    callers,
    answers,
    counts,
    baseUrl,
    isAway: map.isAway,
    unlock: createUnlock({
      unlocking: createUnlocking(deps.secrets.deriveAll('link-password'), deps.hasher),
      answers,
      counts,
      getAddress: callers.getAddress,
      fail,
    }),
    fail,
    log,
  });
  return {
    before: createFastPath({
      map,
      callers,
      isServedHost: isServedHost(config as Config),
      answers,
      counts,
      follow,
      fail,
    }),
    check: () => (map.isAway() ? 'degraded' : 'ok'),
    start: map.start,
    stop: map.stop,
  };
}
