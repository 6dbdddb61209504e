/** Looks up links for the lines of an import. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { type Address, keyOfAddress } from '../addresses/link-address.system-store.ts';

/** Finds the workspace's links by address. @returns address (`keyOfAddress`) → link ID */
export async function idsByAddress(
  db: Db,
  workspaceId: string,
  addresses: readonly Address[],
): Promise<Map<string, string>> {
  if (addresses.length === 0) return new Map();
  const { rows } = await sql<Address & { link_id: string }>`
    select r.domain, r.slug, r.link_id
    from unnest(
      ${addresses.map(({ domain }) => domain)}::text[], ${addresses.map(({ slug }) => slug)}::text[]
    ) a (domain, slug)
    join link_routes r on r.domain = a.domain and r.slug = a.slug and r.workspace_id = ${workspaceId}
  `.execute(db);
  return new Map(rows.map((row) => [keyOfAddress(row), row.link_id]));
}
