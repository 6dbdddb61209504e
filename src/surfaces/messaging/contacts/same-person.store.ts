/** Aliases of addresses. The caller of a write holds the lock of the instance's row in `instance_queues`. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface KnownAddress {
  address: string;
  contact_id: string;
  /** The address that it is an alias of; its own if it is a root. */
  root: string;
}

/** Finds addresses with their roots. An alias of an address that is gone is a root itself. */
export async function findAddresses(
  db: Db,
  workspaceId: string,
  instanceId: string,
  addresses: readonly string[],
): Promise<KnownAddress[]> {
  if (!addresses.length) return [];
  const { rows } = await sql<KnownAddress>`
    select i.address, i.contact_id, coalesce(r.address, i.address) as root
    from contact_identities i
    left join contact_identities r
      on r.workspace_id = i.workspace_id and r.instance_id = i.instance_id and r.address = i.alias_of
    where i.workspace_id = ${workspaceId} and i.instance_id = ${instanceId} and i.address = any(${addresses}::text[])
  `.execute(db);
  return rows;
}

/** Finds the aliases of roots. */
export async function findMembers(
  db: Db,
  workspaceId: string,
  instanceId: string,
  roots: readonly string[],
): Promise<KnownAddress[]> {
  if (!roots.length) return [];
  const { rows } = await sql<KnownAddress>`
    select address, contact_id, alias_of as root from contact_identities
    where workspace_id = ${workspaceId} and instance_id = ${instanceId} and alias_of = any(${roots}::text[])
  `.execute(db);
  return rows;
}

/** Finds the roots of addresses on several instances. @returns root by `instance id` + space + address, for aliases */
export async function findRoots(
  db: Db,
  workspaceId: string,
  asked: readonly { instanceId: string; address: string }[],
): Promise<Map<string, string>> {
  if (!asked.length) return new Map();
  const { rows } = await sql<{ instance_id: string; address: string; root: string }>`
    select i.instance_id, i.address, r.address as root
    from unnest(
      ${asked.map(({ instanceId }) => instanceId)}::uuid[], ${asked.map(({ address }) => address)}::text[]
    ) g (instance_id, address)
    join contact_identities i
      on i.workspace_id = ${workspaceId} and i.instance_id = g.instance_id and i.address = g.address
    join contact_identities r
      on r.workspace_id = i.workspace_id and r.instance_id = i.instance_id and r.address = i.alias_of
  `.execute(db);
  return new Map(rows.map((row) => [`${row.instance_id} ${row.address}`, row.root]));
}

/** Makes addresses and all their aliases aliases of one root. */
export async function setRoot(
  db: Db,
  workspaceId: string,
  instanceId: string,
  addresses: readonly string[],
  root: string,
): Promise<void> {
  await sql`
    update contact_identities set alias_of = case when address = ${root} then null else ${root} end
    where workspace_id = ${workspaceId} and instance_id = ${instanceId}
      and (address = any(${addresses}::text[]) or alias_of = any(${addresses}::text[]) or address = ${root})
  `.execute(db);
}

/** Returns the address whose chat has the latest message; null if none has a chat. */
export async function findLatestChat(
  db: Db,
  workspaceId: string,
  instanceId: string,
  addresses: readonly string[],
): Promise<string | null> {
  const { rows } = await sql<{ key: string }>`
    select key from chats
    where workspace_id = ${workspaceId} and instance_id = ${instanceId} and key = any(${addresses}::text[])
    order by last_message_at desc nulls last, id limit 1
  `.execute(db);
  return rows[0]?.key ?? null;
}

/**
 * Moves the chats with an address to another address of the person. If that address has a chat too, there are two, and
 * inbound messages no longer go to the first: it gets a key of its own and follows later changes by its address.
 */
export async function moveChat(
  db: Db,
  workspaceId: string,
  instanceId: string,
  { from, to }: { from: string; to: string },
  now: Date,
): Promise<void> {
  // Addresses contain no line breaks.
  await sql`
    update chats c set address = ${to}, updated_at = ${now}, version = version + 1, key = case
      when key <> ${from} then key
      when exists (
        select from chats o where o.workspace_id = c.workspace_id and o.instance_id = c.instance_id and o.key = ${to}
      ) then ${to} || chr(10) || c.id
      else ${to} end
    where workspace_id = ${workspaceId} and instance_id = ${instanceId} and kind = 'direct'
      and (key = ${from} or address = ${from})
  `.execute(db);
}
