/**
 * Rows of tags, and which links have them. What reads a link's tags joins `tags`, so that a row of `link_tags` whose tag
 * is gone shows nowhere: creating a link locks no tag, however many links are made with the same one at once.
 */
import { type Selectable, sql } from 'kysely';
import { brokenConstraint, type Db, type Tx } from '../../../platform/db/database.ts';
import type { Tags } from '../../../platform/db/tables.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';

export interface TagRow extends Selectable<Tags> {
  /** Counted up to MAX_COUNTED. */
  link_count: number;
}

export interface TagFilter {
  /** What the name contains, in any case. */
  search?: string;
  createdAfter?: string;
  createdBefore?: string;
}

/** Counting goes no further, so that a page of tags costs the same whatever there is. */
const MAX_COUNTED = 10_000;
/** Of tags that a search looks through for a page. */
const WINDOW = 10_000;

const SHOWN = sql`
  t.workspace_id, t.id, t.name, t.color, t.metadata, t.created_by, t.version, t.created_at, t.updated_at,
  (
    select count(*)::integer from (
      select from link_tags l where l.workspace_id = t.workspace_id and l.tag_id = t.id limit ${sql.lit(MAX_COUNTED)}
    ) counted
  ) as link_count`;

const likePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, (mark) => `\\${mark}`)}%`;

/**
 * One row more than the page holds, newest first.
 * @returns `windowEnd`: where a search ended before the page was full, the id to go on behind; else null
 */
export async function listTags(
  db: Db,
  workspaceId: string,
  page: Page,
  { search, ...created }: TagFilter,
): Promise<{ rows: TagRow[]; windowEnd: string | null }> {
  const { from, below } = idRange(page.after, created);
  const window = search === undefined ? page.limit + 1 : WINDOW;
  const { rows: looked } = await sql<{ id: string; fits: boolean }>`
    select id, ${search === undefined ? sql`true` : sql`name ilike ${likePattern(search)}`} as fits
    from tags where workspace_id = ${workspaceId} and id >= ${from} and id < ${below}
    order by id desc limit ${window}
  `.execute(db);
  const ids = looked.filter(({ fits }) => fits).map(({ id }) => id);
  const shown = ids.slice(0, page.limit + 1);
  const { rows } = await sql<TagRow>`
    select ${SHOWN} from tags t where t.workspace_id = ${workspaceId} and t.id = any(${shown}::uuid[])
    order by t.id desc
  `.execute(db);
  const isCut = search !== undefined && looked.length === WINDOW && shown.length <= page.limit;
  return { rows, windowEnd: isCut ? looked.at(-1)!.id : null };
}

export async function getTag(db: Db, workspaceId: string, id: string): Promise<TagRow | undefined> {
  const { rows } = await sql<TagRow>`
    select ${SHOWN} from tags t where t.workspace_id = ${workspaceId} and t.id = ${id}
  `.execute(db);
  return rows[0];
}

/** Locks the row until the transaction ends. */
export async function lockTag(db: Tx, workspaceId: string, id: string): Promise<TagRow | undefined> {
  await sql`select 1 from tags where workspace_id = ${workspaceId} and id = ${id} for update`.execute(db);
  return getTag(db, workspaceId, id);
}

export type NewTag = Pick<Selectable<Tags>, 'id' | 'name' | 'color' | 'created_by' | 'created_at'> & {
  metadata: object;
};

/** Makes those whose names nobody has; waits for who is making one of the same name. @returns ids of what was made */
export async function insertTags(db: Db, workspaceId: string, tags: readonly NewTag[]): Promise<string[]> {
  const rows = tags.map((tag) => ({ ...tag, workspace_id: workspaceId }));
  const { rows: made } = await sql<{ id: string }>`
    insert into tags (workspace_id, id, name, color, metadata, created_by, created_at, updated_at)
    select workspace_id, id, name, color, metadata, created_by, created_at, created_at
    from json_populate_recordset(null::tags, ${JSON.stringify(rows)}) order by lower(name)
    on conflict do nothing
    returning id
  `.execute(db);
  return made.map(({ id }) => id);
}

/** The row must be locked. @returns false where another tag has the name: the transaction is over then */
export async function updateTag(
  db: Db,
  workspaceId: string,
  id: string,
  { name, color, metadata }: { name: string; color: string; metadata: object },
  now: Date,
): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select exists (
      select from tags where workspace_id = ${workspaceId} and lower(name) = lower(${name}::text) and id <> ${id}
    ) as taken
  `.execute(db);
  if (rows[0]!.taken) return false;
  try {
    await db
      .updateTable('tags')
      .set({ name, color, metadata: JSON.stringify(metadata), updated_at: now, version: sql`version + 1` })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .execute();
  } catch (error) {
    // Another one got it at the same time.
    if (brokenConstraint(error) === 'tags_name') return false;
    throw error;
  }
  return true;
}

export async function deleteTag(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.deleteFrom('tags').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

export interface NamedTag {
  id: string;
  /** As it was spelt first. */
  name: string;
}

/** Tags that have one of these names in any case, by the names as given. */
export async function findTagsByName(
  db: Db,
  workspaceId: string,
  names: readonly string[],
): Promise<Map<string, NamedTag>> {
  const { rows } = await sql<NamedTag & { given: string }>`
    select given, t.id, t.name from unnest(${names}::text[]) given
    join tags t on t.workspace_id = ${workspaceId} and lower(t.name) = lower(given)
  `.execute(db);
  return new Map(rows.map(({ given, id, name }) => [given, { id, name }]));
}
