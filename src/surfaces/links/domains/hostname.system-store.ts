/** Ownership of hosts across workspaces: a verified host belongs to a single domain. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Returns the hosts that are verified by workspaces that are not deleted. */
export async function verifiedHosts(db: Db, hosts: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ host: string }>`
    select h.host from hostnames h join workspaces w on w.id = h.workspace_id and w.deleted_at is null
    where h.host = any(${hosts}::text[])
  `.execute(db);
  return new Set(rows.map(({ host }) => host));
}

/** Returns whether a host is verified by a workspace that is not deleted. */
export const isHostVerified = async (db: Db, host: string): Promise<boolean> =>
  (await verifiedHosts(db, [host])).has(host);

/** Assigns a host to a domain. @returns false if it belongs to another domain */
export async function takeHost(
  db: Db,
  workspaceId: string,
  domainId: string,
  host: string,
): Promise<boolean> {
  const { rows } = await sql`
    insert into hostnames (host, workspace_id, domain_id) values (${host}, ${workspaceId}, ${domainId})
    on conflict (host) do update set host = excluded.host
      where hostnames.workspace_id = excluded.workspace_id and hostnames.domain_id = excluded.domain_id
    returning host
  `.execute(db);
  return rows.length > 0;
}

export interface DueDomain {
  workspace_id: string;
  id: string;
  host: string;
}

/** Claims domains that are due for a check, the longest overdue first, for `leaseSeconds`. */
export async function claimDueDomains(
  db: Db,
  now: Date,
  limit: number,
  leaseSeconds: number,
): Promise<DueDomain[]> {
  const { rows } = await sql<DueDomain>`
    update domains d set check_at = ${now}::timestamptz + make_interval(secs => ${leaseSeconds})
    from (
      select workspace_id, id from domains where check_at <= ${now} order by check_at limit ${limit}
      for update skip locked
    ) due
    where d.workspace_id = due.workspace_id and d.id = due.id
    returning d.workspace_id, d.id, d.host
  `.execute(db);
  return rows;
}
