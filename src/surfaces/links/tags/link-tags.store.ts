/** Stores the tags of links, for many links in one statement. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

interface TagsOfLink {
  linkId: string;
  tagIds: readonly string[];
}

/** Builds pairs of tag and link in the order of the primary key, which is the lock order. */
const selectPairs = (links: readonly TagsOfLink[]) => {
  const pairs = links
    .flatMap(({ linkId, tagIds }) => tagIds.map((tagId) => ({ linkId, tagId })))
    .toSorted((a, b) => (a.tagId + a.linkId < b.tagId + b.linkId ? -1 : 1));
  return sql`unnest(${pairs.map(({ tagId }) => tagId)}::uuid[], ${pairs.map(({ linkId }) => linkId)}::uuid[])`;
};

/** Adds tags to links that have none, such as new links. */
export async function addLinkTags(db: Db, workspaceId: string, links: readonly TagsOfLink[]): Promise<void> {
  if (!links.some(({ tagIds }) => tagIds.length)) return;
  await sql`
    insert into link_tags (workspace_id, tag_id, link_id)
    select ${workspaceId}, tag_id, link_id from ${selectPairs(links)} as pair (tag_id, link_id)
    on conflict do nothing
  `.execute(db);
}

/** Replaces the tags of links. The caller has locked the links' rows. */
export async function setLinkTags(db: Db, workspaceId: string, links: readonly TagsOfLink[]): Promise<void> {
  if (links.length === 0) return;
  await sql`
    with wanted as (select tag_id, link_id from ${selectPairs(links)} as pair (tag_id, link_id)),
    gone as (
      delete from link_tags t
      where t.workspace_id = ${workspaceId} and t.link_id = any(${links.map(({ linkId }) => linkId)}::uuid[])
        and (t.tag_id, t.link_id) not in (select tag_id, link_id from wanted)
    )
    insert into link_tags (workspace_id, tag_id, link_id)
    select ${workspaceId}, tag_id, link_id from wanted
    on conflict do nothing
  `.execute(db);
}
