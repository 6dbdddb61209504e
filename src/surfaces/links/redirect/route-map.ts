/**
 * Caches routes and hosts, and keeps the cache up to date by polling `route_changes`.
 *
 * Every 250 ms, it reads the changes that were committed since the snapshot of the previous read, so that no change is
 * missed, however late its transaction commits. A restarted server or an older state of it is detected. The cache is
 * trusted if the last successful read began less than a second ago (monotonic clock: a process that was suspended does
 * not trust its cache). Otherwise a visit briefly waits for a read. If the database does not respond, existing links
 * are served from the cache without waiting, and unknown ones are unavailable.
 */
import type { TimedQuery } from '../../../platform/db/timed-query.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { type RouteEntry, toRouteEntry, type HostEntry, toHostEntry } from './entry.ts';
import { createRouteCache, type RouteCache } from './route-cache.ts';
import {
  CHANGE_RETENTION_MS,
  selectChangesSinceStart,
  selectHosts,
  selectRouteChanges,
  selectRoutes,
} from './route.system-store.ts';

const POLL_MS = 250;
const TRUSTED_MS = 1_000;
/** Maximum time in ms that a visit waits for a late read. */
const WAIT_MS = 300;
const POLL_TIMEOUT_MS = 2_000;
const READ_TIMEOUT_MS = 1_000;
/** If one poll reads more changes, the whole cache is cleared. */
const MAX_CHANGES = 20_000;
const LOG_EVERY = 120;

export const LIMITS = {
  routes: 300_000,
  routeBytes: 192 * 1024 * 1024,
  hosts: 20_000,
  missing: 50_000,
};

/** A visit cannot be answered because it needs the database, which does not respond. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** Builds the cache key of a route. '' is the default domain; slugs contain no slash. */
export const routeKey = (domain: string, slug: string): string =>
  domain === '' ? slug : `${domain}/${slug}`;

export interface RouteMap {
  /** Returns undefined if `findRoute` must be called, and null if there is no such route. */
  peekRoute(key: string): RouteEntry | null | undefined;
  /** @throws DatabaseUnavailable */
  findRoute(key: string): Promise<RouteEntry | null>;
  peekHost(host: string): HostEntry | null | undefined;
  /** @throws DatabaseUnavailable */
  findHost(host: string): Promise<HostEntry | null>;
  /** Whether the last read of the database failed. */
  isAway(): boolean;
  /** Returns the seconds since the cache was known to be up to date. */
  staleness(): number;
  routes: Pick<RouteCache<RouteEntry>, 'size' | 'hits' | 'misses'>;
  start(): void;
  stop(): Promise<void>;
}

export interface RouteMapDeps {
  query: TimedQuery;
  log: Pick<Log, 'info' | 'warn'>;
  limits?: typeof LIMITS;
  /** Monotonic clock in ms. */
  now?: () => number;
}

export function createRouteMap({
  query,
  log,
  limits = LIMITS,
  now = () => performance.now(),
}: RouteMapDeps): RouteMap {
  const routes = createRouteCache<RouteEntry>({
    maxEntries: limits.routes,
    maxWeight: limits.routeBytes,
    maxMissing: limits.missing,
    weigh: ({ weight }) => weight,
    async readAll(keys) {
      const parts = keys.map((key) => [
        key.slice(0, Math.max(0, key.indexOf('/'))),
        key.slice(key.indexOf('/') + 1),
      ]);
      const rows = await query(
        selectRoutes(
          parts.map(([domain]) => domain!),
          parts.map(([, slug]) => slug!),
        ),
        READ_TIMEOUT_MS,
      );
      return new Map(rows.map((row) => [routeKey(row.domain, row.slug), toRouteEntry(row)]));
    },
  });
  const hosts = createRouteCache<HostEntry>({
    maxEntries: limits.hosts,
    maxWeight: limits.hosts,
    maxMissing: limits.missing,
    weigh: () => 1,
    readAll: async (keys) =>
      new Map((await query(selectHosts(keys), READ_TIMEOUT_MS)).map((row) => [row.host, toHostEntry(row)])),
  });

  let snapshot: string | null = null;
  let runningSince = '';
  /** Start time of the last successful read. */
  let readAt = Number.NEGATIVE_INFINITY;
  let isAway = false;
  let failures = 0;
  let polling: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const apply = async (changes: { workspaceId: string; domain: string | null; slug: string | null }[]) => {
    const workspaces = new Set<string>();
    const domains = new Set<string>();
    const keys = new Set<string>();
    for (const { workspaceId, domain, slug } of changes)
      if (domain === null) workspaces.add(workspaceId);
      else if (slug === null) domains.add(domain);
      else keys.add(routeKey(domain, slug));
    if (workspaces.size || domains.size) {
      routes.deleteWhere(
        ({ workspaceId, domain }) => workspaces.has(workspaceId) || domains.has(domain),
        (key) => domains.has(key.slice(0, Math.max(0, key.indexOf('/')))),
      );
      hosts.deleteWhere(
        ({ workspaceId, host }) => workspaces.has(workspaceId) || domains.has(host),
        (host) => domains.has(host),
      );
    }
    await routes.refresh(keys);
  };

  const clearAll = (): void => {
    routes.clear();
    hosts.clear();
  };

  const read = async (): Promise<void> => {
    const startedAt = now();
    const since = startedAt - readAt > CHANGE_RETENTION_MS ? null : snapshot;
    const rows = await query(selectRouteChanges(since, MAX_CHANGES), POLL_TIMEOUT_MS);
    const { snapshot: reached, running_since: running, is_behind: isBehind } = rows[0]!;
    const isOtherServer = since !== null && running !== runningSince;
    const changes = [
      ...rows,
      ...(isOtherServer ? await query(selectChangesSinceStart(MAX_CHANGES), POLL_TIMEOUT_MS) : []),
    ];
    if (since === null || isBehind || changes.length >= MAX_CHANGES) clearAll();
    else
      await apply(
        changes.flatMap(({ workspace_id: workspaceId, domain, slug }) =>
          workspaceId === null ? [] : [{ workspaceId, domain, slug }],
        ),
      );
    [snapshot, runningSince, readAt] = [reached, running, startedAt];
  };

  const poll = (): Promise<void> =>
    (polling ??= read()
      .then(
        () => {
          if (failures) log.info({ failures }, 'route cache: reading changes again');
          failures = 0;
          isAway = false;
        },
        (err: unknown) => {
          isAway = true;
          if (failures++ % LOG_EVERY === 0)
            log.warn({ err }, 'route cache: could not read changes, retrying');
        },
      )
      .finally(() => (polling = null)));

  const isFresh = (): boolean => now() - readAt < TRUSTED_MS;

  /** Waits until the cache is up to date or the database is known not to respond. */
  const waitForRead = async (): Promise<void> => {
    if (isFresh() || isAway) return;
    let waitTimer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      waitTimer = setTimeout(resolve, WAIT_MS);
    });
    // A read that was pending while the process was suspended may return an outdated state.
    const reading = poll().then(() => (isFresh() || isAway ? undefined : poll()));
    await Promise.race([reading, timeout]);
    clearTimeout(waitTimer);
    if (!isFresh()) isAway = true;
  };

  const find = async <V extends object>(cache: RouteCache<V>, key: string): Promise<V | null> => {
    await waitForRead();
    const cached = isFresh() ? cache.peek(key) : cache.peekFound(key);
    if (cached !== undefined) return cached;
    if (!isFresh()) throw new DatabaseUnavailable('not cached, and the database does not respond');
    try {
      return await cache.read(key);
    } catch (error) {
      throw new DatabaseUnavailable('the database does not respond', { cause: error });
    }
  };
  const peek = <V extends object>(memory: RouteCache<V>, key: string): V | null | undefined => {
    if (isFresh()) return memory.peek(key);
    return isAway ? memory.peekFound(key) : undefined;
  };

  const loop = (): void => {
    void poll().finally(() => {
      if (!stopped) timer = setTimeout(loop, POLL_MS);
    });
  };

  return {
    peekRoute: (key) => peek(routes, key),
    findRoute: (key) => find(routes, key),
    peekHost: (host) => peek(hosts, host),
    findHost: (host) => find(hosts, host),
    isAway: () => isAway,
    staleness: () => Math.max(0, now() - readAt) / 1000,
    routes,
    start: loop,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await polling;
    },
  };
}
