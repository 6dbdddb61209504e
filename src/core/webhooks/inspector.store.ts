/** Rows of inspectors and of their tokens' hashes. */
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Inspectors } from '../../platform/db/tables.ts';
import type { Page } from '../../platform/http/pagination.ts';

export type InspectorRow = Selectable<Inspectors>;

export type NewInspector = Pick<
  InspectorRow,
  | 'id'
  | 'name'
  | 'token_sealed'
  | 'answer_status'
  | 'answer_delay_ms'
  | 'answer_body'
  | 'created_by'
  | 'created_at'
> & { answer_headers: object; metadata: object };

export interface InspectorFilter {
  createdAfter?: string;
  createdBefore?: string;
}

const selectInspectors = (db: Db, workspaceId: string) =>
  db.selectFrom('inspectors').where('workspace_id', '=', workspaceId).selectAll();

/** One row more than the page holds, newest first. */
export function listInspectors(
  db: Db,
  workspaceId: string,
  page: Page,
  { createdAfter, createdBefore }: InspectorFilter,
): Promise<InspectorRow[]> {
  let query = selectInspectors(db, workspaceId)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.after) query = query.where('id', '<', page.after);
  if (createdAfter) query = query.where('created_at', '>', new Date(createdAfter));
  if (createdBefore) query = query.where('created_at', '<', new Date(createdBefore));
  return query.execute();
}

export const getInspector = (db: Db, workspaceId: string, id: string): Promise<InspectorRow | undefined> =>
  selectInspectors(db, workspaceId).where('id', '=', id).executeTakeFirst();

/** Locks the row until the transaction ends. */
export const lockInspector = (db: Tx, workspaceId: string, id: string): Promise<InspectorRow | undefined> =>
  selectInspectors(db, workspaceId).where('id', '=', id).forUpdate().executeTakeFirst();

/** The ID of an inspector of the workspace by the SHA-256 of its token. */
export async function inspectorIdOfToken(
  db: Db,
  workspaceId: string,
  tokenHash: Buffer,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('inspect_tokens')
    .select('inspector_id')
    .where('hash', '=', tokenHash)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row?.inspector_id;
}

/**
 * Counts the workspace's inspectors. Until the transaction ends, no other transaction can count in order to add one.
 */
export async function countAlone(db: Tx, workspaceId: string): Promise<number> {
  const name = `inspectors ${workspaceId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 2))`.execute(db);
  const row = await db
    .selectFrom('inspectors')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function insertInspector(
  db: Db,
  workspaceId: string,
  { answer_headers, metadata, ...inspector }: NewInspector,
  tokenHash: Buffer,
): Promise<void> {
  await db
    .insertInto('inspectors')
    .values({
      ...inspector,
      workspace_id: workspaceId,
      answer_headers: JSON.stringify(answer_headers),
      metadata: JSON.stringify(metadata),
      updated_at: inspector.created_at,
    })
    .execute();
  await db
    .insertInto('inspect_tokens')
    .values({ hash: tokenHash, workspace_id: workspaceId, inspector_id: inspector.id })
    .execute();
}

export async function updateInspector(
  db: Db,
  workspaceId: string,
  id: string,
  {
    answer_headers,
    metadata,
    ...changes
  }: Partial<Omit<NewInspector, 'id' | 'token_sealed' | 'created_at'>> & { enabled?: boolean },
  now: Date,
): Promise<void> {
  await db
    .updateTable('inspectors')
    .set({
      ...changes,
      ...(answer_headers ? { answer_headers: JSON.stringify(answer_headers) } : {}),
      ...(metadata ? { metadata: JSON.stringify(metadata) } : {}),
      updated_at: now,
      version: sql`version + 1`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Deletes the inspector with its token; its requests are deleted beside. */
export async function deleteInspector(db: Db, workspaceId: string, id: string): Promise<void> {
  await db
    .deleteFrom('inspect_tokens')
    .where('workspace_id', '=', workspaceId)
    .where('inspector_id', '=', id)
    .execute();
  await db.deleteFrom('inspectors').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

/**
 * Counts a request, and locks the row until the transaction ends.
 * @returns the row with the request's number as `received`; undefined if it no longer exists
 */
export function countRequest(
  db: Db,
  workspaceId: string,
  id: string,
  now: Date,
): Promise<InspectorRow | undefined> {
  return db
    .updateTable('inspectors')
    .set({ received: sql`received + 1`, last_received_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('workspaces').select('id').where('id', '=', workspaceId).where('deleted_at', 'is', null),
      ),
    )
    .returningAll()
    .executeTakeFirst();
}
