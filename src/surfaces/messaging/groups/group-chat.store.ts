/** Changes chat rows of groups. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Converts a chat that was created before it was known to be a group. */
export async function makeGroupChat(
  db: Db,
  workspaceId: string,
  id: string,
  title: string | null,
  now: Date,
): Promise<void> {
  await sql`
    update chats set kind = 'group', contact_id = null, title = coalesce(title, ${title}), updated_at = ${now}, version = version + 1
    where workspace_id = ${workspaceId} and id = ${id} and (kind <> 'group' or contact_id is not null or title is null)
  `.execute(db);
}

/** @param change `before` is the group's previous name; any other title that is not empty was set by a user */
export async function setTitleFor(
  db: Db,
  workspaceId: string,
  id: string,
  { before, title }: { before: string; title: string | null },
  now: Date,
): Promise<void> {
  await sql`
    update chats set title = ${title}, updated_at = ${now}, version = version + 1
    where workspace_id = ${workspaceId} and id = ${id} and (title is null or title = ${before})
  `.execute(db);
}
