/** Versions and contacts of links that a change elsewhere concerns. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** @param links with what they are found by from now on */
export async function raiseVersions(
  db: Db,
  workspaceId: string,
  links: readonly { id: string; fingerprint: Buffer }[],
  at: Date,
): Promise<void> {
  await sql`
    update links l set version = l.version + 1, updated_at = ${at}, fingerprint = n.fingerprint
    from unnest(
      ${links.map(({ id }) => id)}::uuid[], ${links.map(({ fingerprint }) => fingerprint)}::bytea[]
    ) n (id, fingerprint)
    where l.workspace_id = ${workspaceId} and l.id = n.id
  `.execute(db);
}

/** Gives links of contacts to another contact, or to none. @returns link → the contact that it had; at most `most` */
export async function giveLinks(
  db: Db,
  workspaceId: string,
  contactIds: readonly string[],
  to: string | null,
  limit: number,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; contact_id: string }>`
    with found as (
      select id, contact_id from links
      where workspace_id = ${workspaceId} and contact_id = any(${contactIds}::uuid[])
      order by id limit ${limit} for update
    )
    update links l set contact_id = ${to} from found
    where l.workspace_id = ${workspaceId} and l.id = found.id
    returning found.id, found.contact_id
  `.execute(db);
  return new Map(rows.map(({ id, contact_id: contactId }) => [id, contactId]));
}

/** Links that were made for messages to contacts; at most `most`. */
export async function linksOfContacts(
  db: Db,
  workspaceId: string,
  contactIds: readonly string[],
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from links where workspace_id = ${workspaceId} and contact_id = any(${contactIds}::uuid[])
    order by id limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Links that are locked are of no contact and no message from now on. */
export async function detachLinks(db: Db, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update links set contact_id = null, message_id = null where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])
  `.execute(db);
}
