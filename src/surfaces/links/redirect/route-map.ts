/**
 * Routes and hosts in memory, kept true by polling `route_changes`.
 *
 * Every 250 ms it reads what was committed since the snapshot of the reading before, so that no change is passed over,
 * however late its transaction commits; a server that was started anew, or is an older state of the one before, is
 * noticed. What is in memory counts while the last reading began less than a second ago
 * (monotonic clock: a process that was frozen does not trust what it has). Otherwise a reading is waited for, briefly;
 * where the database doesn't answer, what is known to exist goes on from memory, without any wait, and nothing is said
 * of what is not known.
 */
import type { TimedQuery } from '../../../platform/db/timed-query.ts';
import { type Entry, entryOf, type HostEntry, hostEntryOf } from './entry.ts';
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
/** How long a visit waits for a reading that is late. */
const WAIT_MS = 300;
const POLL_TIMEOUT_MS = 2_000;
const READ_TIMEOUT_MS = 1_000;
/** More changes than this at once are not gone through: all is read anew. */
const MAX_CHANGES = 20_000;
const TOLD_EVERY = 120;

export const LIMITS = {
  routes: 300_000,
  routeBytes: 192 * 1024 * 1024,
  hosts: 20_000,
  missing: 50_000,
};

/** A visit can't be answered: the database is needed, and does not answer. */
export class DatabaseAway extends Error {
  override name = 'DatabaseAway';
}

/** What a route is kept under: slugs have no slash. '' is the default domain. */
export const routeKey = (domain: string, slug: string): string =>
  domain === '' ? slug : `${domain}/${slug}`;

export interface RouteMap {
  /** Undefined: `findRoute` has to be asked. Null: there is none. */
  peekRoute(key: string): Entry | null | undefined;
  /** @throws DatabaseAway */
  findRoute(key: string): Promise<Entry | null>;
  peekHost(host: string): HostEntry | null | undefined;
  /** @throws DatabaseAway */
  findHost(host: string): Promise<HostEntry | null>;
  /** Whether the database was seen to answer. */
  isAway(): boolean;
  /** Seconds since memory was known to be true. */
  staleness(): number;
  routes: Pick<RouteCache<Entry>, 'size' | 'hits' | 'misses'>;
  start(): void;
  stop(): Promise<void>;
}

export interface RouteMapDeps {
  query: TimedQuery;
  log: { warn(details: object, message: string): void; info(details: object, message: string): void };
  limits?: typeof LIMITS;
  /** Monotonic milliseconds. */
  now?: () => number;
}

export function createRouteMap({
  query,
  log,
  limits = LIMITS,
  now = () => performance.now(),
}: RouteMapDeps): RouteMap {
  const routes = createRouteCache<Entry>({
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
      return new Map(rows.map((row) => [routeKey(row.domain, row.slug), entryOf(row)]));
    },
  });
  const hosts = createRouteCache<HostEntry>({
    maxEntries: limits.hosts,
    maxWeight: limits.hosts,
    maxMissing: limits.missing,
    weigh: () => 1,
    readAll: async (keys) =>
      new Map((await query(selectHosts(keys), READ_TIMEOUT_MS)).map((row) => [row.host, hostEntryOf(row)])),
  });

  let snapshot: string | null = null;
  let runningSince = '';
  /** When the last reading that succeeded began. */
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
      routes.forgetWhere(
        ({ workspaceId, domain }) => workspaces.has(workspaceId) || domains.has(domain),
        (key) => domains.has(key.slice(0, Math.max(0, key.indexOf('/')))),
      );
      hosts.forgetWhere(
        ({ workspaceId, host }) => workspaces.has(workspaceId) || domains.has(host),
        (host) => domains.has(host),
      );
    }
    await routes.refresh(keys);
  };

  const startOver = (): void => {
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
    if (since === null || isBehind || changes.length >= MAX_CHANGES) startOver();
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
          if (failures) log.info({ failures }, 'short links are read from the database again');
          failures = 0;
          isAway = false;
        },
        (err: unknown) => {
          isAway = true;
          if (failures++ % TOLD_EVERY === 0) log.warn({ err }, 'changes of short links could not be read');
        },
      )
      .finally(() => (polling = null)));

  const isFresh = (): boolean => now() - readAt < TRUSTED_MS;

  /** Until memory is true again, or it is known that the database does not answer. */
  const settle = async (): Promise<void> => {
    if (isFresh() || isAway) return;
    let late: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => {
      late = setTimeout(resolve, WAIT_MS);
    });
    // One that was under way while the process stood still says what was before.
    const reading = poll().then(() => (isFresh() || isAway ? undefined : poll()));
    await Promise.race([reading, waited]);
    clearTimeout(late);
    if (!isFresh()) isAway = true;
  };

  const find = async <V extends object>(memory: RouteCache<V>, key: string): Promise<V | null> => {
    await settle();
    const known = isFresh() ? memory.peek(key) : memory.peekFound(key);
    if (known !== undefined) return known;
    if (!isFresh()) throw new DatabaseAway('what is not in memory is not known');
    try {
      return await memory.read(key);
    } catch (error) {
      throw new DatabaseAway('the database could not be asked', { cause: error });
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
