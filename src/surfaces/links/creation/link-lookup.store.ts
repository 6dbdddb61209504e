/** Looks up domains and existing links in bulk, before links are created or updated. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

/** Finds domains of the workspace and locks their keys until the transaction ends. @returns host → state */
export async function domainsByHost(
  db: Db,
  workspaceId: string,
  hosts: readonly string[],
): Promise<Map<string, string>> {
  if (hosts.length === 0) return new Map();
  const { rows } = await sql<{ host: string; state: string }>`
    select host, state from domains where workspace_id = ${workspaceId} and host = any(${hosts}::text[])
    order by id for key share
  `.execute(db);
  return new Map(rows.map(({ host, state }) => [host, state]));
}

/**
 * Takes advisory locks on the names that links are looked up by, until the transaction ends. Locks are always taken in
 * the same order. A second transaction waits and then sees the links that the first one created.
 */
export async function lockNames(db: Tx, workspaceId: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await sql`
    select pg_advisory_xact_lock(key) from (
      select distinct hashtextextended(${`link ${workspaceId} `} || name, 0) as key
      from unnest(${names}::text[]) name order by key
    ) k
  `.execute(db);
}

/** Finds links by external ID. @returns external ID → link ID */
export async function idsByExternalId(
  db: Db,
  workspaceId: string,
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  if (externalIds.length === 0) return new Map();
  const { rows } = await sql<{ external_id: string; id: string }>`
    select external_id, id from links where workspace_id = ${workspaceId} and external_id = any(${externalIds}::text[])
  `.execute(db);
  return new Map(rows.map(({ external_id: externalId, id }) => [externalId, id]));
}

export interface SameLink {
  id: string;
  slug: string;
  /** In hex. */
  fingerprint: string;
}

/** Finds active links by fingerprint (hex), oldest first. */
export async function activeByFingerprint(
  db: Db,
  workspaceId: string,
  fingerprints: readonly string[],
  now: Date,
): Promise<SameLink[]> {
  if (fingerprints.length === 0) return [];
  const { rows } = await sql<SameLink>`
    select l.id, l.slug, encode(l.fingerprint, 'hex') as fingerprint from links l
    where l.workspace_id = ${workspaceId}
      and l.fingerprint = any(array(select decode(f, 'hex') from unnest(${fingerprints}::text[]) f))
      and l.archived_at is null and (l.expires_at is null or l.expires_at > ${now})
      and not exists (
        select from link_budgets b where b.workspace_id = l.workspace_id and b.link_id = l.id and b.used >= b.max
      )
    order by l.id
  `.execute(db);
  return rows;
}
