/** Updates versions and contacts of links after a change elsewhere. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Bumps the versions of links. @param links with their new fingerprints */
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

/** Moves links of contacts to another contact, or to none; at most `limit`. @returns link → its previous contact */
export async function moveLinksToContact(
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

/** Finds links that were created for messages to contacts; at most `limit`. */
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

/** Removes contact and message from links whose rows are locked. */
export async function detachLinks(db: Db, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update links set contact_id = null, message_id = null where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])
  `.execute(db);
}
