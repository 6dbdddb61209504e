/**
 * Records invalidations of cached routes in the transaction that changes an address, so that nodes never miss a change.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface RouteChange {
  /** As in `link_routes.domain`: '' is the default domain. Null, with the slug: everything of the workspace. */
  domain: string | null;
  /** Null: everything of the domain, including what is cached of its host. */
  slug: string | null;
}

/** Builds the insert of invalidations, to be combined with other writes in one statement. */
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

/** Records invalidations. Call in the transaction that changes routes, hosts, or a workspace's click_addresses. */
export async function appendRouteChanges(
  db: Db,
  workspaceId: string,
  changes: readonly RouteChange[],
): Promise<void> {
  if (changes.length) await insertRouteChanges(workspaceId, changes).execute(db);
}
