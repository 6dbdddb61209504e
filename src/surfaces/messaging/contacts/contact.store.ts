/**
 * Rows of contacts, their addresses, and IDs of contacts that were merged into others.
 *
 * Adding or removing addresses on an instance requires the lock of its row in `instance_queues`, then those of the
 * contacts' rows, by ascending ID.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { Contacts } from '../../../platform/db/tables.ts';
import { updateWords } from './contact-words.store.ts';

export interface IdentityRow {
  instance_id: string;
  address: string;
  /** RFC 3339: since when messages cannot reach the address; null or omitted while they can. */
  unreachable_since?: string | null;
  /** The address that this is an alias of (same-person.ts); null or omitted for a root. */
  alias_of?: string | null;
}

export interface ContactRow extends Selectable<Contacts> {
  /** Sorted by instance, then address. */
  identities: IdentityRow[];
}

export type NewContact = Pick<
  ContactRow,
  'id' | 'name' | 'profile_name' | 'avatar_url' | 'created_by' | 'identities'
> & { metadata: object; username?: string | null };

/** Selects contacts from a relation with the columns that the API needs. Add conditions on `c`. */
export const selectContacts = (relation: RawBuilder<unknown>): RawBuilder<ContactRow> => sql`
  select c.*, coalesce(i.identities, '[]') as identities
  from ${relation} c
  left join lateral (
    select json_agg(json_build_object('instance_id', i.instance_id, 'address', i.address,
      'unreachable_since', i.unreachable_since, 'alias_of', i.alias_of) order by i.instance_id, i.address collate "C")
      as identities
    from contact_identities i where i.workspace_id = c.workspace_id and i.contact_id = c.id
  ) i on true`;

/** Reads the existing contacts among `ids`, in ID order. */
export async function readContacts(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<ContactRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ContactRow>`
    ${selectContacts(sql`contacts`)} where c.workspace_id = ${workspaceId} and c.id = any(${ids}::uuid[]) order by c.id
  `.execute(db);
  return rows;
}

/** Locks the existing contacts among `ids` until the transaction ends, in ID order, and reads them. */
export async function lockContacts(
  db: Tx,
  workspaceId: string,
  ids: readonly string[],
): Promise<ContactRow[]> {
  if (ids.length === 0) return [];
  // A separate statement, so that the next one sees what was committed while this one waited.
  await sql`
    select 1 from contacts where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) order by id for update
  `.execute(db);
  return readContacts(db, workspaceId, ids);
}

/** Resolves an ID to a contact: either its own ID, or that of a contact merged into it. */
export async function resolveId(db: Db, workspaceId: string, id: string): Promise<string> {
  const alias = await db
    .selectFrom('contact_aliases')
    .select('contact_id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return alias?.contact_id ?? id;
}

/** Returns the IDs of contacts that were merged into a contact. */
export async function getAliases(db: Db, workspaceId: string, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('contact_aliases')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', id)
    .execute();
  return rows.map((row) => row.id);
}

/** Finds the contacts that addresses belong to. @returns contact ID by `instance id` + space + address */
export async function getOwners(
  db: Db,
  workspaceId: string,
  identities: readonly IdentityRow[],
): Promise<Map<string, string>> {
  if (identities.length === 0) return new Map();
  const { rows } = await sql<IdentityRow & { contact_id: string }>`
    select i.instance_id, i.address, i.contact_id
    from unnest(
      ${identities.map((one) => one.instance_id)}::uuid[], ${identities.map(({ address }) => address)}::text[]
    ) g (instance_id, address)
    join contact_identities i
      on i.workspace_id = ${workspaceId} and i.instance_id = g.instance_id and i.address = g.address
  `.execute(db);
  return new Map(rows.map((row) => [keyOfIdentity(row), row.contact_id]));
}

export const keyOfIdentity = ({ instance_id: id, address }: IdentityRow): string => `${id} ${address}`;

/**
 * Creates contacts with addresses that belong to no contact yet. Lists are sorted by ID, so `created_at` is the time in
 * the ID.
 */
export async function insertContacts(
  db: Db,
  workspaceId: string,
  contacts: readonly NewContact[],
): Promise<void> {
  if (contacts.length === 0) return;
  const rows = contacts.map((contact) => ({
    ...contact,
    workspace_id: workspaceId,
    created_at: timeOfUuid(contact.id),
  }));
  await sql`
    insert into contacts (workspace_id, id, name, profile_name, username, avatar_url, metadata, created_by, created_at, updated_at)
    select workspace_id, id, name, profile_name, username, avatar_url, metadata, created_by, created_at, created_at
    from json_populate_recordset(null::contacts, ${JSON.stringify(rows)})
  `.execute(db);
  const named = contacts.filter((one) => (one.name ?? one.profile_name ?? one.username ?? null) !== null);
  await updateWords(
    db,
    workspaceId,
    named.map(({ id }) => id),
  );
  await insertIdentities(
    db,
    workspaceId,
    contacts.flatMap(({ id, identities }) => identities.map((one) => ({ ...one, contact_id: id }))),
  );
}

export async function insertIdentities(
  db: Db,
  workspaceId: string,
  identities: readonly (IdentityRow & { contact_id: string })[],
): Promise<void> {
  if (identities.length === 0) return;
  const rows = identities.map((one) => ({ ...one, workspace_id: workspaceId }));
  await sql`
    insert into contact_identities (workspace_id, instance_id, address, contact_id, unreachable_since, alias_of)
    select workspace_id, instance_id, address, contact_id, unreachable_since, alias_of
    from json_populate_recordset(null::contact_identities, ${JSON.stringify(rows)})
  `.execute(db);
}

export async function deleteIdentities(
  db: Db,
  workspaceId: string,
  contactId: string,
  identities: readonly IdentityRow[],
): Promise<void> {
  if (identities.length === 0) return;
  await sql`
    delete from contact_identities i
    using unnest(
      ${identities.map((one) => one.instance_id)}::uuid[], ${identities.map(({ address }) => address)}::text[]
    ) g (instance_id, address)
    where i.workspace_id = ${workspaceId} and i.contact_id = ${contactId} and i.instance_id = g.instance_id
      and i.address = g.address
  `.execute(db);
}

/** Turns the aliases of removed addresses into roots, because another contact may get those addresses. */
export async function releaseAliases(
  db: Db,
  workspaceId: string,
  gone: readonly IdentityRow[],
): Promise<void> {
  if (gone.length === 0) return;
  await sql`
    update contact_identities i set alias_of = null
    from unnest(
      ${gone.map((one) => one.instance_id)}::uuid[], ${gone.map(({ address }) => address)}::text[]
    ) g (instance_id, address)
    where i.workspace_id = ${workspaceId} and i.instance_id = g.instance_id and i.alias_of = g.address
  `.execute(db);
}

export interface ContactChange {
  name?: string | null;
  profile_name?: string | null;
  username?: string | null;
  avatar_url?: string | null;
  blocked?: boolean;
  metadata?: object;
}

/** Changes locked contacts in one statement, each individually. Every visible change increases the version. */
export async function updateContacts(
  db: Db,
  workspaceId: string,
  changes: readonly { id: string; change: ContactChange }[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ id, change }) => ({ id, change }));
  await sql`
    update contacts c set
      name = case when g.change ? 'name' then g.change ->> 'name' else c.name end,
      profile_name = case when g.change ? 'profile_name' then g.change ->> 'profile_name' else c.profile_name end,
      username = case when g.change ? 'username' then g.change ->> 'username' else c.username end,
      avatar_url = case when g.change ? 'avatar_url' then g.change ->> 'avatar_url' else c.avatar_url end,
      blocked = case when g.change ? 'blocked' then (g.change ->> 'blocked')::boolean else c.blocked end,
      metadata = case when g.change ? 'metadata' then g.change -> 'metadata' else c.metadata end,
      updated_at = ${now}, version = c.version + 1
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) g (id uuid, change jsonb)
    where c.workspace_id = ${workspaceId} and c.id = g.id
  `.execute(db);
  const renamed = changes.filter(({ change }) =>
    ['name', 'profile_name', 'username'].some((field) => field in change),
  );
  await updateWords(
    db,
    workspaceId,
    renamed.map(({ id }) => id),
  );
}

/** Deletes a contact, with its addresses and the IDs that were merged into it. */
export async function deleteContact(db: Db, workspaceId: string, id: string): Promise<void> {
  await sql`
    with identities as (
      delete from contact_identities where workspace_id = ${workspaceId} and contact_id = ${id}
    ), words as (
      delete from contact_words where workspace_id = ${workspaceId} and contact_id = ${id}
    ), aliases as (
      delete from contact_aliases where workspace_id = ${workspaceId} and contact_id = ${id}
    )
    delete from contacts where workspace_id = ${workspaceId} and id = ${id}
  `.execute(db);
}

/** Counts contacts for the quota. */
export async function countContacts(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('contacts')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}

/**
 * Returns the addresses on an instance whose contacts are blocked, or which are roots of a blocked contact's addresses.
 */
export async function blockedAddresses(
  db: Db,
  workspaceId: string,
  instanceId: string,
  addresses: readonly string[],
): Promise<string[]> {
  if (addresses.length === 0) return [];
  const { rows } = await sql<{ address: string }>`
    select i.address from contact_identities i
    join contacts c on c.workspace_id = i.workspace_id and c.id = i.contact_id
    where i.workspace_id = ${workspaceId} and i.instance_id = ${instanceId} and i.address = any(${addresses}::text[])
      and c.blocked
    union
    select i.alias_of from contact_identities i
    join contacts c on c.workspace_id = i.workspace_id and c.id = i.contact_id
    where i.workspace_id = ${workspaceId} and i.instance_id = ${instanceId} and i.alias_of = any(${addresses}::text[])
      and c.blocked
  `.execute(db);
  return rows.map(({ address }) => address);
}

/** Stores whether messages reach addresses of contacts. */
export async function updateReachability(
  db: Db,
  workspaceId: string,
  identities: readonly IdentityRow[],
): Promise<void> {
  const rows = JSON.stringify(identities);
  await sql`
    update contact_identities i set unreachable_since = g.unreachable_since
    from json_to_recordset(${rows}) g (instance_id uuid, address text, unreachable_since timestamptz)
    where i.workspace_id = ${workspaceId} and i.instance_id = g.instance_id and i.address = g.address
  `.execute(db);
}
