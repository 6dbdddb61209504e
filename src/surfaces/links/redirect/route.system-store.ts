/**
 * Routes and hosts over all workspaces, and what changed of them. These are statements rather than results: whoever
 * redirects sends them with a time-out of its own (src/platform/db/timed-query.ts).
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
  /** `pg_current_snapshot()` of this reading: what the next one goes on from. */
  snapshot: string;
  /** When the server was started: another time, another server, or the same one after its end. */
  running_since: string;
  /** The server has not reached the snapshot that was given: it is another's, or an older state of itself. */
  is_behind: boolean | null;
  /** Null where there are no changes: the only row. */
  workspace_id: string | null;
  domain: string | null;
  slug: string | null;
}

/** The routes that exist of the given addresses; both lists have the same length. */
export const selectRoutes = (domains: string[], slugs: string[]): RawBuilder<RouteRow> => sql`
  select r.domain, r.slug, r.workspace_id, r.link_id, r.route, w.click_addresses
  from unnest(${domains}::text[], ${slugs}::text[]) k (domain, slug)
  join link_routes r on r.domain = k.domain and r.slug = k.slug
  join workspaces w on w.id = r.workspace_id and w.deleted_at is null
`;

/** The verified ones of the given hosts. */
export const selectHosts = (hosts: string[]): RawBuilder<HostRow> => sql`
  select h.host, h.workspace_id, h.domain_id, d.not_found_url, d.root_url
  from hostnames h
  join domains d on d.workspace_id = h.workspace_id and d.id = h.domain_id
  join workspaces w on w.id = h.workspace_id and w.deleted_at is null
  where h.host = any (${hosts}::text[])
`;

/**
 * What was committed between a snapshot and now, each change once, however late it was committed; at most `most`.
 *
 * By its transactions: those that were open at the snapshot, and those that came later. So a transaction that stays open
 * for hours costs nothing, which a comparison with the oldest open one would. What bears the number of a transaction
 * that this cluster has not reached was restored from another one, and is known to nobody's memory.
 * @param since null: only where things stand
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
 * What transactions changed that began since the server runs: a server that died may give numbers of transactions anew
 * which a snapshot of before takes for seen.
 */
export const selectChangesSinceStart = (
  limit: number,
): RawBuilder<Pick<RouteChangeRow, 'workspace_id' | 'domain' | 'slug'>> => sql`
  select workspace_id, domain, slug from route_changes
  where created_at >= pg_postmaster_start_time() limit ${limit}
`;

/** How long changes are kept: whoever has not read for as long starts over. */
export const CHANGE_RETENTION_MS = 3_600_000;

const BATCH = 10_000;

/** Deletes what nobody goes on from any more. @returns how many */
export function deleteOldRouteChanges(db: Db, now: Date, signal?: AbortSignal): Promise<number> {
  // Twice as long, since the time of a change is that of its transaction's beginning.
  const before = new Date(now.getTime() - 2 * CHANGE_RETENTION_MS);
  return inBatches(BATCH, (limit) => deleteBefore(db, 'route_changes', 'created_at', before, limit), signal);
}
