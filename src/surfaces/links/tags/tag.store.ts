/**
 * Stores tags and finds the links that have them. Queries of a link's tags join `tags`, so that rows of `link_tags`
 * whose tag is deleted are ignored. Creating a link therefore locks no tag, and many links with the same tag can be
 * created concurrently.
 */
import { likePattern } from '../../../platform/db/like-pattern.ts';
import { type Selectable, sql } from 'kysely';
import { brokenConstraint, type Db, type Tx } from '../../../platform/db/database.ts';
import type { Tags } from '../../../platform/db/tables.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';

export interface TagRow extends Selectable<Tags> {
  /** At most MAX_COUNTED. */
  link_count: number;
}

export interface TagFilter {
  /** Text that the name contains, ignoring case. */
  search?: string;
  createdAfter?: string;
  createdBefore?: string;
}

/** Counts stop here, so that the cost of a page of tags is bounded. */
const MAX_COUNTED = 10_000;
/** Tags that a search checks for a page. */
const WINDOW = 10_000;

const SHOWN = sql`
  t.workspace_id, t.id, t.name, t.color, t.metadata, t.created_by, t.version, t.created_at, t.updated_at,
  (
    select count(*)::integer from (
      select from link_tags l where l.workspace_id = t.workspace_id and l.tag_id = t.id limit ${sql.lit(MAX_COUNTED)}
    ) counted
  ) as link_count`;

/**
 * Lists tags, newest first, one row more than the page holds.
 * @returns `windowEnd`: the ID to continue from if a search ended before the page was full; else null
 */
export async function listTags(
  db: Db,
  workspaceId: string,
  page: Page,
  { search, ...created }: TagFilter,
): Promise<{ rows: TagRow[]; windowEnd: string | null }> {
  const { from, below } = idRange(page.after, created);
  const window = search === undefined ? page.limit + 1 : WINDOW;
  const { rows: scanned } = await sql<{ id: string; fits: boolean }>`
    select id, ${search === undefined ? sql`true` : sql`name ilike ${likePattern(search)}`} as fits
    from tags where workspace_id = ${workspaceId} and id >= ${from} and id < ${below}
    order by id desc limit ${window}
  `.execute(db);
  const ids = scanned.filter(({ fits }) => fits).map(({ id }) => id);
  const shown = ids.slice(0, page.limit + 1);
  const { rows } = await sql<TagRow>`
    select ${SHOWN} from tags t where t.workspace_id = ${workspaceId} and t.id = any(${shown}::uuid[])
    order by t.id desc
  `.execute(db);
  const isCut = search !== undefined && scanned.length === WINDOW && shown.length <= page.limit;
  return { rows, windowEnd: isCut ? scanned.at(-1)!.id : null };
}

export async function getTag(db: Db, workspaceId: string, id: string): Promise<TagRow | undefined> {
  const { rows } = await sql<TagRow>`
    select ${SHOWN} from tags t where t.workspace_id = ${workspaceId} and t.id = ${id}
  `.execute(db);
  return rows[0];
}

/** Locks the row until the transaction ends, and reads it. */
export async function lockTag(db: Tx, workspaceId: string, id: string): Promise<TagRow | undefined> {
  await sql`select 1 from tags where workspace_id = ${workspaceId} and id = ${id} for update`.execute(db);
  return getTag(db, workspaceId, id);
}

export type NewTag = Pick<Selectable<Tags>, 'id' | 'name' | 'color' | 'created_by' | 'created_at'> & {
  metadata: object;
};

/** Inserts tags whose names are free. Waits for transactions that insert the same names. @returns IDs of new tags */
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

/** Updates a tag whose row is locked. @returns false if the name is taken; the transaction must then be rolled back */
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
    // Another transaction took the name concurrently.
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
  /** In its original spelling. */
  name: string;
}

/** Finds tags by name, ignoring case. @returns requested name → tag */
export async function findTagsByName(
  db: Db,
  workspaceId: string,
  names: readonly string[],
): Promise<Map<string, NamedTag>> {
  const { rows } = await sql<NamedTag & { input: string }>`
    select input, t.id, t.name from unnest(${names}::text[]) input
    join tags t on t.workspace_id = ${workspaceId} and lower(t.name) = lower(input)
  `.execute(db);
  return new Map(rows.map(({ input, id, name }) => [input, { id, name }]));
}
