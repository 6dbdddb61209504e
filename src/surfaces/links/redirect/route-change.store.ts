/**
 * What whoever redirects must not keep in memory any longer: written in the transaction that changes an address, so
 * that there is no change that nodes are not told of.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface RouteChange {
  /** As `link_routes.domain`: '' is the default one. Null, with the slug: all of the workspace. */
  domain: string | null;
  /** Null: all of the domain, and what the server knows of its host. */
  slug: string | null;
}

/** An insert of changes, to go along with what changes routes in one statement. */
export const insertRouteChanges = (
  workspaceId: string,
  changes: readonly RouteChange[],
): RawBuilder<unknown> => sql`
  insert into route_changes (workspace_id, domain, slug)
  select ${workspaceId}::uuid, domain, slug
  from unnest(
    ${changes.map(({ domain }) => domain)}::text[], ${changes.map(({ slug }) => slug)}::text[]
  ) c (domain, slug)
`;

/** To be called in the transaction that inserts, updates or deletes routes, hosts, or a workspace's click_addresses. */
export async function appendRouteChanges(
  db: Db,
  workspaceId: string,
  changes: readonly RouteChange[],
): Promise<void> {
  if (changes.length) await insertRouteChanges(workspaceId, changes).execute(db);
}
