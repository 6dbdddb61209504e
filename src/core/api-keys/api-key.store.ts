/** Rows of API keys, their hashes and origins. */
import { likePattern } from '../../platform/db/like-pattern.ts';
import { type Selectable, sql } from 'kysely';
import type { Scope } from '../vocabulary/scopes.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { ApiKeys } from '../../platform/db/tables.ts';
import type { Page } from '../../platform/http/pagination.ts';
import type { KEY_STATES } from './api-key.schema.ts';

export interface ApiKeyRow extends Selectable<ApiKeys> {
  last_used_at: Date | null;
  last_used_ip: string | null;
  last_used_operation: string | null;
}

export type NewApiKey = Omit<
  Selectable<ApiKeys>,
  'version' | 'created_at' | 'updated_at' | 'revoked_at' | 'reminded_at' | 'created_disabled_at' | 'metadata'
> & { metadata: object; created_at: Date };

export interface ApiKeyFilter {
  search?: string;
  state?: (typeof KEY_STATES)[number];
  createdAfter?: string;
  createdBefore?: string;
}

const selectKeys = (db: Db, workspaceId: string) =>
  db
    .selectFrom('api_keys')
    .leftJoin('key_usage', (join) =>
      join
        .onRef('key_usage.workspace_id', '=', 'api_keys.workspace_id')
        .onRef('key_usage.key_id', '=', 'api_keys.id'),
    )
    .where('api_keys.workspace_id', '=', workspaceId)
    .selectAll('api_keys')
    .select(['last_used_at', 'last_used_operation'])
    .select(sql<string | null>`host(last_used_ip)`.as('last_used_ip'));

/** One row more than the page holds, newest first. */
export function listApiKeys(
  db: Db,
  workspaceId: string,
  page: Page,
  { search, state, createdAfter, createdBefore }: ApiKeyFilter,
): Promise<ApiKeyRow[]> {
  let query = selectKeys(db, workspaceId)
    .orderBy('api_keys.id', 'desc')
    .limit(page.limit + 1);
  if (page.after) query = query.where('api_keys.id', '<', page.after);
  if (search !== undefined) query = query.where('api_keys.name', 'ilike', likePattern(search));
  if (createdAfter) query = query.where('api_keys.created_at', '>', new Date(createdAfter));
  if (createdBefore) query = query.where('api_keys.created_at', '<', new Date(createdBefore));
  if (state === 'revoked') query = query.where('revoked_at', 'is not', null);
  if (state === 'active')
    query = query
      .where('revoked_at', 'is', null)
      .where(sql<boolean>`(expires_at is null or expires_at > now())`);
  if (state === 'expired')
    query = query.where('revoked_at', 'is', null).where('expires_at', '<=', sql<Date>`now()`);
  return query.execute();
}

export function getApiKey(db: Db, workspaceId: string, id: string): Promise<ApiKeyRow | undefined> {
  return selectKeys(db, workspaceId).where('api_keys.id', '=', id).executeTakeFirst();
}

/** Locks the row until the transaction ends. */
export async function lockApiKey(db: Tx, workspaceId: string, id: string): Promise<ApiKeyRow | undefined> {
  return selectKeys(db, workspaceId).where('api_keys.id', '=', id).forUpdate('api_keys').executeTakeFirst();
}

/** Returns every scope that any of the keys has, each once. */
export async function scopesOfKeys(db: Db, workspaceId: string, ids: readonly string[]): Promise<Scope[]> {
  const { rows } = await sql<{ scope: Scope }>`
    select distinct unnest(scopes) as scope from api_keys
    where workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[]) order by scope
  `.execute(db);
  return rows.map(({ scope }) => scope);
}

export async function insertApiKey(db: Db, { metadata, ...key }: NewApiKey): Promise<void> {
  await db
    .insertInto('api_keys')
    .values({ ...key, updated_at: key.created_at, metadata: JSON.stringify(metadata) })
    .execute();
}

export async function updateApiKey(
  db: Db,
  workspaceId: string,
  id: string,
  changes: Partial<Omit<NewApiKey, 'id' | 'workspace_id' | 'created_at'>> & { revoked_at?: Date },
  now: Date,
): Promise<void> {
  const { metadata, ...rest } = changes;
  await db
    .updateTable('api_keys')
    .set({
      ...rest,
      ...(metadata ? { metadata: JSON.stringify(metadata) } : {}),
      updated_at: now,
      version: sql`version + 1`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

export async function insertKeyHash(db: Db, workspaceId: string, keyId: string, hash: string): Promise<void> {
  await db
    .insertInto('key_hashes')
    .values({ workspace_id: workspaceId, key_id: keyId, hash: Buffer.from(hash, 'hex') })
    .execute();
}

/** Ends the secrets that a key has: those in an overlap now, the present one at `validUntil`. */
export async function retireKeyHashes(
  db: Db,
  workspaceId: string,
  keyId: string,
  validUntil: Date,
  now: Date,
): Promise<void> {
  const ofKey = db
    .updateTable('key_hashes')
    .where('workspace_id', '=', workspaceId)
    .where('key_id', '=', keyId);
  await ofKey.set({ valid_until: now }).where('valid_until', '>', now).execute();
  await ofKey.set({ valid_until: validUntil }).where('valid_until', 'is', null).execute();
}

export async function replaceKeyOrigins(
  db: Db,
  workspaceId: string,
  keyId: string,
  origins: string[],
): Promise<void> {
  await db
    .deleteFrom('key_origins')
    .where('workspace_id', '=', workspaceId)
    .where('key_id', '=', keyId)
    .execute();
  if (origins.length)
    await db
      .insertInto('key_origins')
      .values(origins.map((origin) => ({ origin, workspace_id: workspaceId, key_id: keyId })))
      .execute();
}
