/**
 * Queries of routes and hosts across workspaces, and of their changes. Returns statements rather than results: they are
 * executed with a timeout of the caller (src/platform/db/timed-query.ts).
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { deleteBefore, inBatches } from '../../../platform/db/batches.ts';
import type { Route } from './route.ts';

export interface RouteRow {
  domain: string;
  slug: string;
  workspace_id: string;
  link_id: string;
  click_addresses: boolean;
  route: Route;
}

export interface HostRow {
  host: string;
  workspace_id: string;
  domain_id: string;
  not_found_url: string | null;
  root_url: string | null;
}

export interface RouteChangeRow {
  /** `pg_current_snapshot()` of this read, from which the next one continues. */
  snapshot: string;
  /** Start time of the database server. Another time means another server, or the same one after a restart. */
  running_since: string;
  /** Whether the server has not reached the requested snapshot: it is another server or an older state. */
  is_behind: boolean | null;
  /** Null in the only row if there are no changes. */
  workspace_id: string | null;
  domain: string | null;
  slug: string | null;
}

/** Selects the existing routes of addresses. Both lists have the same length. */
export const selectRoutes = (domains: string[], slugs: string[]): RawBuilder<RouteRow> => sql`
  select r.domain, r.slug, r.workspace_id, r.link_id, r.route, w.click_addresses
  from unnest(${domains}::text[], ${slugs}::text[]) k (domain, slug)
  join link_routes r on r.domain = k.domain and r.slug = k.slug
  join workspaces w on w.id = r.workspace_id and w.deleted_at is null
`;

/** Selects the verified domains among hosts. */
export const selectHosts = (hosts: string[]): RawBuilder<HostRow> => sql`
  select h.host, h.workspace_id, h.domain_id, d.not_found_url, d.root_url
  from hostnames h
  join domains d on d.workspace_id = h.workspace_id and d.id = h.domain_id
  join workspaces w on w.id = h.workspace_id and w.deleted_at is null
  where h.host = any (${hosts}::text[])
`;

/**
 * Selects changes that were committed between a snapshot and now, at most `limit`. Each change is returned once,
 * however late it was committed.
 *
 * Changes are found by transaction: those that were open at the snapshot, and later ones. So a transaction that stays
 * open for hours costs nothing, unlike a comparison with the oldest open transaction. Changes with a transaction ID
 * that this cluster has not reached were restored from another cluster and are in no cache.
 * @param since null to only read the current snapshot
 */
export const selectRouteChanges = (since: string | null, limit: number): RawBuilder<RouteChangeRow> => sql`
  select pg_current_snapshot()::text as snapshot, pg_postmaster_start_time()::text as running_since,
    pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax(s.since) as is_behind,
    c.workspace_id, c.domain, c.slug
  from (values (${since}::pg_snapshot)) s (since)
  left join lateral (
    (
      select workspace_id, domain, slug from route_changes
      where xid >= pg_snapshot_xmax(s.since) and xid < pg_snapshot_xmax(pg_current_snapshot())
      limit ${limit}
    ) union all (
      select workspace_id, domain, slug from route_changes
      where xid = any (array(select pg_snapshot_xip(s.since)))
      limit ${limit}
    )
  ) c on true
`;

/**
 * Selects changes of transactions that began after the server was started. After a crash, a server may reuse
 * transaction IDs that an older snapshot considers seen.
 */
export const selectChangesSinceStart = (
  limit: number,
): RawBuilder<Pick<RouteChangeRow, 'workspace_id' | 'domain' | 'slug'>> => sql`
  select workspace_id, domain, slug from route_changes
  where created_at >= pg_postmaster_start_time() limit ${limit}
`;

/** Minimum retention of changes. A process that has not read for longer clears its cache. */
export const CHANGE_RETENTION_MS = 3_600_000;

const BATCH = 10_000;

/** Deletes changes after their retention. @returns the number of deleted rows */
export function deleteOldRouteChanges(db: Db, now: Date, signal?: AbortSignal): Promise<number> {
  // Twice the retention, because the time of a change is when its transaction began.
  const before = new Date(now.getTime() - 2 * CHANGE_RETENTION_MS);
  return inBatches(BATCH, (limit) => deleteBefore(db, 'route_changes', 'created_at', before, limit), signal);
}
