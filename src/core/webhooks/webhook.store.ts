/** Rows of webhooks. */
import { likePattern } from '../../platform/db/like-pattern.ts';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Webhooks } from '../../platform/db/tables.ts';
import type { Page } from '../../platform/http/pagination.ts';

export type WebhookRow = Selectable<Webhooks>;
export type NewWebhook = Omit<WebhookRow, 'version' | 'metadata'> & { metadata: object };
export type WebhookChange = Partial<Omit<NewWebhook, 'id' | 'workspace_id' | 'created_at' | 'created_by'>>;

export interface WebhookFilter {
  search?: string;
  enabled?: boolean;
  url?: string;
  /** Only those that have one of these patterns. */
  patterns?: string[];
  createdAfter?: string;
  createdBefore?: string;
}

const ofWorkspace = (db: Db, workspaceId: string) =>
  db.selectFrom('webhooks').selectAll().where('workspace_id', '=', workspaceId);

/** One row more than the page holds, newest first. */
export function listWebhooks(
  db: Db,
  workspaceId: string,
  page: Page,
  { search, enabled, url, patterns, createdAfter, createdBefore }: WebhookFilter,
): Promise<WebhookRow[]> {
  let query = ofWorkspace(db, workspaceId)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.after) query = query.where('id', '<', page.after);
  if (enabled !== undefined) query = query.where('enabled', '=', enabled);
  if (url !== undefined) query = query.where('url', '=', url);
  if (patterns) query = query.where(sql<boolean>`events && ${patterns}::text[]`);
  if (search !== undefined)
    query = query.where(({ eb, or }) =>
      or([eb('url', 'ilike', likePattern(search)), eb('description', 'ilike', likePattern(search))]),
    );
  if (createdAfter) query = query.where('created_at', '>', new Date(createdAfter));
  if (createdBefore) query = query.where('created_at', '<', new Date(createdBefore));
  return query.execute();
}

export const getWebhook = (db: Db, workspaceId: string, id: string): Promise<WebhookRow | undefined> =>
  ofWorkspace(db, workspaceId).where('id', '=', id).executeTakeFirst();

/** Locks the row until the transaction ends. */
export const lockWebhook = (db: Tx, workspaceId: string, id: string): Promise<WebhookRow | undefined> =>
  ofWorkspace(db, workspaceId).where('id', '=', id).forUpdate().executeTakeFirst();

/**
 * Prevents other transactions from creating webhooks of this creator or changing their subscriptions until this one
 * ends. Must be taken before any row lock.
 */
export async function lockSubscriptionsFor(db: Tx, workspaceId: string, createdBy: string): Promise<void> {
  const name = `webhooks ${workspaceId} ${createdBy}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 3))`.execute(db);
}

/** The webhook of a maker with this subscription; `exceptId` is passed over. */
export async function findBySubscription(
  db: Db,
  workspaceId: string,
  createdBy: string,
  hash: Buffer,
  exceptId?: string,
): Promise<string | undefined> {
  let query = db
    .selectFrom('webhooks')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('created_by', '=', createdBy)
    .where('subscription_hash', '=', hash);
  if (exceptId) query = query.where('id', '!=', exceptId);
  return (await query.executeTakeFirst())?.id;
}

export async function insertWebhook(
  db: Db,
  workspaceId: string,
  { metadata, ...webhook }: Omit<NewWebhook, 'workspace_id'>,
): Promise<WebhookRow> {
  return db
    .insertInto('webhooks')
    .values({ ...webhook, workspace_id: workspaceId, metadata: JSON.stringify(metadata) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateWebhook(
  db: Db,
  workspaceId: string,
  id: string,
  { metadata, ...change }: WebhookChange,
  now: Date,
): Promise<WebhookRow> {
  return db
    .updateTable('webhooks')
    .set({
      ...change,
      ...(metadata ? { metadata: JSON.stringify(metadata) } : {}),
      updated_at: now,
      version: sql`version + 1`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteWebhook(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.deleteFrom('webhooks').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

/** For the quota. */
export async function countWebhooks(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('webhooks')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}
