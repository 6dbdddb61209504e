/** Rows of media, and the lock for storing or removing a content's file. */
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { Media } from '../../../platform/db/tables.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import { addMediaBytes, subtractMediaBytes } from './media-bytes.store.ts';

export type MediaRow = Selectable<Media>;

/** Metadata of a stored file. */
export type Content = { mime_type: string; mime_family: string; size: number; sha256: Buffer };

export type NewMedia = Pick<MediaRow, 'id' | 'file_name' | 'created_by' | 'created_at'> & {
  metadata: object;
  /** Whether it was created for one message; false if omitted. */
  for_message?: boolean;
} & (
    | ({ state: 'ready' } & Content)
    | { state: 'pending'; source_sealed: string }
    | { state: 'failed'; error_code: string; error_detail: string }
  );

export interface MediaFilter {
  /** `image/png` or `image/*`. */
  type?: string;
  createdAfter?: string;
  createdBefore?: string;
}

const selectMedia = (db: Db, workspaceId: string) =>
  db.selectFrom('media').where('media.workspace_id', '=', workspaceId).selectAll('media');

/** One row more than the page holds, newest first. */
export function listMedia(
  db: Db,
  workspaceId: string,
  page: Page,
  { type, createdAfter, createdBefore }: MediaFilter,
): Promise<MediaRow[]> {
  let query = selectMedia(db, workspaceId)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.after) query = query.where('id', '<', page.after);
  if (type?.endsWith('/*')) query = query.where('mime_family', '=', type.slice(0, -2));
  else if (type) query = query.where('mime_type', '=', type);
  if (createdAfter) query = query.where('created_at', '>', new Date(createdAfter));
  if (createdBefore) query = query.where('created_at', '<', new Date(createdBefore));
  return query.execute();
}

export const getMedia = (db: Db, workspaceId: string, id: string): Promise<MediaRow | undefined> =>
  selectMedia(db, workspaceId).where('id', '=', id).executeTakeFirst();

/** Returns the row for a caller without a key; undefined if the workspace is deleted. */
export const getMediaForReceiver = (db: Db, workspaceId: string, id: string): Promise<MediaRow | undefined> =>
  selectMedia(db, workspaceId)
    .innerJoin('workspaces', 'workspaces.id', 'media.workspace_id')
    .where('workspaces.deleted_at', 'is', null)
    .where('media.id', '=', id)
    .executeTakeFirst();

/** Locks the row until the transaction ends. */
export const lockMedia = (db: Tx, workspaceId: string, id: string): Promise<MediaRow | undefined> =>
  selectMedia(db, workspaceId).where('id', '=', id).forUpdate().executeTakeFirst();

export async function insertMedia(
  db: Db,
  workspaceId: string,
  { metadata, ...media }: NewMedia,
): Promise<MediaRow> {
  if (media.state === 'ready') await addMediaBytes(db, workspaceId, media.size);
  return db
    .insertInto('media')
    .values({
      ...media,
      workspace_id: workspaceId,
      metadata: JSON.stringify(metadata),
      updated_at: media.created_at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @param changes applied only if the row has no content yet */
export async function updateMedia(
  db: Db,
  workspaceId: string,
  id: string,
  changes: Partial<
    Pick<
      MediaRow,
      | 'state'
      | 'mime_type'
      | 'mime_family'
      | 'size'
      | 'sha256'
      | 'file_name'
      | 'source_sealed'
      | 'error_code'
      | 'error_detail'
    >
  >,
  now: Date,
): Promise<void> {
  await db
    .updateTable('media')
    .set({ ...changes, updated_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
  if (changes.size) await addMediaBytes(db, workspaceId, changes.size);
}

/** @returns the deleted row */
export async function deleteMedia(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<{ sha256: Buffer | null; state: string } | undefined> {
  const row = await db
    .deleteFrom('media')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning(['sha256', 'state', 'size'])
    .executeTakeFirst();
  if (row) await subtractMediaBytes(db, workspaceId, [row.size]);
  return row;
}

/** Deletes at most `limit` rows with an ID below `before`, oldest first. @returns the content of each */
export async function deleteMediaBefore(
  db: Tx,
  workspaceId: string,
  before: string,
  limit: number,
): Promise<(Buffer | null)[]> {
  const old = db
    .selectFrom('media')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '<', before)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  const rows = await db
    .deleteFrom('media')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', old)
    .returning(['sha256', 'size'])
    .execute();
  await subtractMediaBytes(
    db,
    workspaceId,
    rows.map(({ size }) => size),
  );
  return rows.map(({ sha256 }) => sha256);
}

/** Locks a content until the transaction ends: no other transaction stores or removes its file. */
export async function lockContent(db: Tx, workspaceId: string, sha256: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`media ${workspaceId} ${sha256}`}, 2))`.execute(
    db,
  );
}

/** Returns the contents (in hexadecimal) among `contents` that rows refer to. */
export async function referredContents(
  db: Db,
  workspaceId: string,
  contents: string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('media')
    .select('sha256')
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where(
      'sha256',
      'in',
      contents.map((sha256) => Buffer.from(sha256, 'hex')),
    )
    .execute();
  return new Set(rows.map(({ sha256 }) => sha256!.toString('hex')));
}

/** Counts media for the quota. */
export async function countMedia(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('media')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}
