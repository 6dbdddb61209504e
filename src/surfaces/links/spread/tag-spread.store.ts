/** Reads the links of a renamed or deleted tag in batches. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

const toIds = ({ rows }: { rows: { id: string }[] }): string[] => rows.map(({ id }) => id);

/** Locks links of a tag that were not updated since `at`. */
export async function lockLinksBefore(
  db: Tx,
  workspaceId: string,
  tagId: string,
  at: Date,
  limit: number,
): Promise<string[]> {
  return toIds(
    await sql<{ id: string }>`
      select k.id from link_tags l join links k on k.workspace_id = l.workspace_id and k.id = l.link_id
      where l.workspace_id = ${workspaceId} and l.tag_id = ${tagId} and k.updated_at < ${at}
      order by k.id limit ${limit} for update of k
    `.execute(db),
  );
}

/**
 * Removes a deleted tag from links and locks these links.
 * @returns IDs of the links, including links that have been deleted
 */
export async function removeFromLinks(
  db: Db,
  workspaceId: string,
  tagId: string,
  limit: number,
): Promise<string[]> {
  const ids = toIds(
    await sql<{ id: string }>`
      select link_id as id from link_tags where workspace_id = ${workspaceId} and tag_id = ${tagId}
      order by link_id limit ${limit}
    `.execute(db),
  );
  await sql`
    select 1 from links where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) order by id for update
  `.execute(db);
  await sql`
    delete from link_tags where workspace_id = ${workspaceId} and tag_id = ${tagId} and link_id = any(${ids}::uuid[])
  `.execute(db);
  return ids;
}

export async function getTagName(db: Db, workspaceId: string, tagId: string): Promise<string | null> {
  const row = await db
    .selectFrom('tags')
    .select('name')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', tagId)
    .executeTakeFirst();
  return row?.name ?? null;
}
