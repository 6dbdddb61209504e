/** Stores model providers and the models that they list. */
import { type Selectable, sql } from 'kysely';
import { likePattern } from '../../../platform/db/like-pattern.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { ModelProviders } from '../../../platform/db/tables.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import type { ModelPriceObject } from './price.schema.ts';
import type { ProviderKind } from './provider-kinds.ts';
import type { ModelProviderObject, ProviderError } from './provider.schema.ts';

export type ProviderRow = Omit<
  Selectable<ModelProviders>,
  'kind' | 'models' | 'prices' | 'state' | 'last_error' | 'metadata'
> & {
  kind: ProviderKind;
  models: ModelProviderObject['models'];
  prices: Record<string, ModelPriceObject>;
  state: ModelProviderObject['state'];
  last_error: ProviderError | null;
  metadata: Record<string, string>;
};

/** A model as its provider lists it. */
export interface ListedModelRow {
  id: string;
  released_at: Date | null;
  owned_by: string | null;
  context_length: number | null;
  max_output: number | null;
  modalities: { input: string[]; output: string[] } | null;
  capabilities: string[];
  price: ModelPriceObject | null;
}

export interface ProviderFilter {
  search?: string;
  kind?: string;
  state?: string;
  enabled?: boolean;
  createdAfter?: string;
  createdBefore?: string;
}

/** Lists providers, newest first, with one row more than the page. */
export async function listProviders(
  db: Db,
  workspaceId: string,
  page: Page,
  { search, kind, state, enabled, ...created }: ProviderFilter,
): Promise<ProviderRow[]> {
  const { from, below } = idRange(page.after, created);
  const found = search === undefined ? null : likePattern(search);
  const { rows } = await sql<ProviderRow>`
    select * from model_providers
    where workspace_id = ${workspaceId} and id >= ${from} and id < ${below}
      and ${found === null ? sql`true` : sql`(name ilike ${found} or slug ilike ${found})`}
      and ${kind === undefined ? sql`true` : sql`kind = ${kind}`}
      and ${state === undefined ? sql`true` : sql`state = ${state}`}
      and ${enabled === undefined ? sql`true` : sql`enabled = ${enabled}`}
    order by id desc limit ${page.limit + 1}
  `.execute(db);
  return rows;
}

async function selectProvider(
  db: Db,
  workspaceId: string,
  id: string,
  locking = sql``,
): Promise<ProviderRow | undefined> {
  const { rows } = await sql<ProviderRow>`
    select * from model_providers where workspace_id = ${workspaceId} and id = ${id} ${locking}
  `.execute(db);
  return rows[0];
}

export const getProvider = (db: Db, workspaceId: string, id: string): Promise<ProviderRow | undefined> =>
  selectProvider(db, workspaceId, id);

/** Locks the row until the transaction ends. */
export const lockProvider = (db: Tx, workspaceId: string, id: string): Promise<ProviderRow | undefined> =>
  selectProvider(db, workspaceId, id, sql`for update`);

type JsonColumn = 'models' | 'prices' | 'last_error' | 'metadata';
export type NewProvider = Omit<
  ProviderRow,
  'workspace_id' | 'state' | 'last_error' | 'models_count' | 'listed_at' | 'version'
>;
export type ProviderChange = Partial<Omit<ProviderRow, 'workspace_id' | 'id' | 'created_at' | 'version'>>;

const toJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const withJson = <T extends Partial<Record<JsonColumn, unknown>>>(row: T) => {
  const { models, prices, last_error: error, metadata, ...rest } = row;
  return {
    ...rest,
    ...(models === undefined ? {} : { models: toJson(models) }),
    ...(prices === undefined ? {} : { prices: JSON.stringify(prices) }),
    ...(error === undefined ? {} : { last_error: toJson(error) }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
  };
};

/** Inserts a provider. @returns undefined if the slug is taken */
export async function insertProvider(
  db: Tx,
  workspaceId: string,
  provider: NewProvider,
): Promise<ProviderRow | undefined> {
  return (await db
    .insertInto('model_providers')
    .values({ workspace_id: workspaceId, ...withJson(provider) })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'slug']).doNothing())
    .returningAll()
    .executeTakeFirst()) as ProviderRow | undefined;
}

/**
 * Updates a provider. The row must be locked.
 * @param edits whether a caller edits it, which counts its version
 */
export async function updateProvider(
  db: Tx,
  workspaceId: string,
  id: string,
  change: ProviderChange,
  edits: boolean,
): Promise<ProviderRow> {
  return (await db
    .updateTable('model_providers')
    .set({ ...withJson(change), ...(edits ? { version: sql<number>`version + 1` } : {}) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()) as unknown as ProviderRow;
}

export async function deleteProvider(db: Tx, workspaceId: string, id: string): Promise<void> {
  await sql`
    with models as (delete from model_provider_models where workspace_id = ${workspaceId} and provider_id = ${id})
    delete from model_providers where workspace_id = ${workspaceId} and id = ${id}
  `.execute(db);
}

/** Serializes changes of slugs in a workspace until the transaction ends. */
export async function lockSlugs(db: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`model provider slugs ${workspaceId}`}, 2))`.execute(
    db,
  );
}

/** Returns which of the slugs are used by other providers. */
export async function findTakenSlugs(
  db: Db,
  workspaceId: string,
  slugs: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ slug: string }>`
    select slug from model_providers where workspace_id = ${workspaceId} and slug = any(${slugs}::text[])
  `.execute(db);
  return new Set(rows.map(({ slug }) => slug));
}

/** Counts the providers of a workspace, for the quota. */
export async function countProviders(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from model_providers where workspace_id = ${workspaceId}
  `.execute(db);
  return rows[0]!.count;
}

/** Replaces the models that a provider lists. Rows that stay as they are, are not written. The provider must be locked. */
export async function replaceListedModels(
  db: Tx,
  workspaceId: string,
  providerId: string,
  models: readonly ListedModelRow[],
): Promise<void> {
  await sql`
    with listed as (
      select * from jsonb_to_recordset(${JSON.stringify(models)}::jsonb) as m (
        id text, released_at timestamptz, owned_by text, context_length integer, max_output integer,
        modalities jsonb, capabilities text[], price jsonb
      )
    ), removed as (
      delete from model_provider_models
      where workspace_id = ${workspaceId} and provider_id = ${providerId}
        and id not in (select id from listed)
    )
    insert into model_provider_models as m
    select ${workspaceId}::uuid, ${providerId}::uuid, id, released_at, owned_by, context_length, max_output,
      nullif(modalities, 'null'), capabilities, nullif(price, 'null')
    from listed
    on conflict (workspace_id, provider_id, id) do update set
      released_at = excluded.released_at, owned_by = excluded.owned_by,
      context_length = excluded.context_length, max_output = excluded.max_output,
      modalities = excluded.modalities, capabilities = excluded.capabilities, price = excluded.price
    where (m.released_at, m.owned_by, m.context_length, m.max_output, m.modalities, m.capabilities, m.price)
      is distinct from (excluded.released_at, excluded.owned_by, excluded.context_length, excluded.max_output,
        excluded.modalities, excluded.capabilities, excluded.price)
  `.execute(db);
}

/** Lists the models that a provider lists or was told to offer, by name, with one row more than the page. */
export async function listModelsOfProvider(
  db: Db,
  { workspace_id: workspaceId, id: providerId, models }: Pick<ProviderRow, 'workspace_id' | 'id' | 'models'>,
  page: Page,
  search: string | undefined,
): Promise<ListedModelRow[]> {
  const { rows } = await sql<ListedModelRow>`
    select n.id, m.released_at, m.owned_by, m.context_length, m.max_output, m.modalities,
      coalesce(m.capabilities, '{}') as capabilities, m.price
    from (
      select id from model_provider_models where workspace_id = ${workspaceId} and provider_id = ${providerId}
      union select unnest(${(models ?? []).map(({ id }) => id)}::text[]) collate "C"
    ) n
    left join model_provider_models m
      on m.workspace_id = ${workspaceId} and m.provider_id = ${providerId} and m.id = n.id
    where ${page.after === null ? sql`true` : sql`n.id > ${page.after}`}
      and ${search === undefined ? sql`true` : sql`n.id ilike ${likePattern(search)}`}
    order by n.id limit ${page.limit + 1}
  `.execute(db);
  return rows;
}
