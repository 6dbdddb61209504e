/** Which links have which tags, for many links in one statement. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

interface TagsOfLink {
  linkId: string;
  tagIds: readonly string[];
}

/** Link and tag side by side, in the order of the primary key, which is that of locks. */
const pairsOf = (links: readonly TagsOfLink[]) => {
  const pairs = links
    .flatMap(({ linkId, tagIds }) => tagIds.map((tagId) => ({ linkId, tagId })))
    .toSorted((a, b) => (a.tagId + a.linkId < b.tagId + b.linkId ? -1 : 1));
  return sql`unnest(${pairs.map(({ tagId }) => tagId)}::uuid[], ${pairs.map(({ linkId }) => linkId)}::uuid[])`;
};

/** For links that have no tags yet, as new ones. */
export async function addLinkTags(db: Db, workspaceId: string, links: readonly TagsOfLink[]): Promise<void> {
  if (!links.some(({ tagIds }) => tagIds.length)) return;
  await sql`
    insert into link_tags (workspace_id, tag_id, link_id)
    select ${workspaceId}, tag_id, link_id from ${pairsOf(links)} as pair (tag_id, link_id)
    on conflict do nothing
  `.execute(db);
}

/** Each link has these tags and no others afterwards; the caller holds the links' rows. */
export async function setLinkTags(db: Db, workspaceId: string, links: readonly TagsOfLink[]): Promise<void> {
  if (links.length === 0) return;
  await sql`
    with wanted as (select tag_id, link_id from ${pairsOf(links)} as pair (tag_id, link_id)),
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
