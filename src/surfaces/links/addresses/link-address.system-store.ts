/** Addresses of short links across all workspaces: taken slugs and link domains. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Returns the hosts that are verified link domains of any workspace. */
export async function findLinkDomains(db: Db, hosts: readonly string[]): Promise<Set<string>> {
  if (hosts.length === 0) return new Set();
  const { rows } = await sql<{ host: string }>`
    select host from hostnames where host = any(${hosts}::text[])
  `.execute(db);
  return new Set(rows.map(({ host }) => host));
}

export interface Address {
  domain: string;
  slug: string;
}

export const keyOfAddress = ({ domain, slug }: Address): string => `${domain} ${slug}`;

/** Returns the addresses that are taken by links of any workspace. */
export async function findTakenAddresses(db: Db, addresses: readonly Address[]): Promise<Set<string>> {
  if (addresses.length === 0) return new Set();
  const { rows } = await sql<Address>`
    select r.domain, r.slug
    from unnest(
      ${addresses.map(({ domain }) => domain)}::text[], ${addresses.map(({ slug }) => slug)}::text[]
    ) a (domain, slug)
    join link_routes r on r.domain = a.domain and r.slug = a.slug
  `.execute(db);
  return new Set(rows.map(keyOfAddress));
}

export interface NewRoute extends Address {
  workspace_id: string;
  link_id: string;
  route: object;
}

/**
 * Reserves addresses for links; the primary key decides conflicts. Rows are inserted in key order to avoid deadlocks.
 * @returns IDs of the links whose address was reserved
 */
export async function takeAddresses(db: Db, routes: readonly NewRoute[]): Promise<Set<string>> {
  if (routes.length === 0) return new Set();
  const { rows } = await sql<{ link_id: string }>`
    insert into link_routes (domain, slug, workspace_id, link_id, route)
    select domain, slug, workspace_id, link_id, route
    from jsonb_to_recordset(${JSON.stringify(routes)}::jsonb)
      r (domain text, slug text, workspace_id uuid, link_id uuid, route jsonb)
    order by domain, slug
    on conflict (domain, slug) do nothing
    returning link_id
  `.execute(db);
  return new Set(rows.map(({ link_id: id }) => id));
}
