/** Reads models across the providers of a workspace. A call makes one such query, two for a route, unless its model was called just before. */
import type { FallbackReason, RouteAttempt } from '../contract/model-catalog.ts';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { ECHO_MODEL } from '../echo/echo.ts';
import type { ModelPriceObject } from '../providers/price.schema.ts';
import type { ProviderKind } from '../providers/provider-kinds.ts';
import type { ListedModelRow } from '../providers/provider.store.ts';

/** Beginning of the IDs of routes. */
export const ROUTE_PREFIX = 'route/';

/** A model of an enabled provider. Columns of the list are null if the provider does not list it. */
export interface CatalogRow extends Omit<ListedModelRow, 'id' | 'capabilities'> {
  /** Public ID. */
  model: string;
  upstream_model: string;
  slug: string;
  kind: ProviderKind;
  set_price: ModelPriceObject | null;
  capabilities: string[] | null;
  provider_id: string;
  created_at: Date;
}

/** A model that can be called, with the data of its provider that a call needs. */
export interface TargetRow extends CatalogRow {
  workspace_id: string;
  id: string;
  base_url: string;
  secrets_sealed: string | null;
  timeout_seconds: number;
  max_concurrency: number | null;
  state: 'active' | 'failing';
  /** The highest prices of the provider's list, if a model has none and the provider reports what each call cost. */
  reserve_price: Pick<ModelPriceObject, 'input' | 'output'> | null;
}

/** Of a provider that reports the cost of each call. */
const HIGHEST_PRICES = sql`
  case when p.kind = 'openrouter' and m.price is null then (
    select jsonb_build_object(
      'input', max((l.price ->> 'input')::float8), 'output', max((l.price ->> 'output')::float8)
    )
    from model_provider_models l
    where l.workspace_id = p.workspace_id and l.provider_id = p.id and l.price is not null
    having count(*) > 0
  ) end`;

const LISTED = sql`m.released_at, m.owned_by, m.context_length, m.max_output, m.modalities, m.capabilities, m.price`;

/** Lists the models of all enabled providers, by ID. Models that a provider was told to offer need not be listed by it. */
export async function listCatalog(db: Db, workspaceId: string): Promise<CatalogRow[]> {
  const { rows } = await sql<CatalogRow>`
    select p.slug || '/' || n.name as model, n.id as upstream_model, p.slug, p.kind, p.prices -> n.id as set_price,
      p.id as provider_id, p.created_at, ${LISTED}
    from model_providers p
    cross join lateral (
      select l.id, l.id as name from model_provider_models l
      where p.models is null and l.workspace_id = p.workspace_id and l.provider_id = p.id
      union all
      select e ->> 'id', coalesce(e ->> 'alias', e ->> 'id') from jsonb_array_elements(p.models) e
    ) n
    left join model_provider_models m
      on m.workspace_id = p.workspace_id and m.provider_id = p.id and m.id = n.id
    where p.workspace_id = ${workspaceId} and p.enabled
    order by (p.slug || '/' || n.name) collate "C"
  `.execute(db);
  return rows;
}

/** Splits an ID at its first slash. */
function split(model: string): { slug: string; name: string } {
  const at = model.indexOf('/');
  return { slug: model.slice(0, Math.max(at, 0)), name: model.slice(at + 1) };
}

/**
 * Finds models that can be called, by ID. A provider whose list was never read may have any model: it says so itself, and
 * a call need not wait for the list.
 */
export async function findTargets(
  db: Db,
  workspaceId: string,
  models: readonly string[],
): Promise<Map<string, TargetRow>> {
  const parts = models.map(split);
  const { rows } = await sql<TargetRow>`
    select w.model, coalesce(c.id, w.name) as upstream_model, p.slug, p.kind, p.id as provider_id, p.created_at,
      p.prices -> coalesce(c.id, w.name) as set_price, p.workspace_id, p.id, p.base_url, p.secrets_sealed,
      p.timeout_seconds, p.max_concurrency, p.state, ${HIGHEST_PRICES} as reserve_price, ${LISTED}
    from unnest(
      ${models}::text[], ${parts.map(({ slug }) => slug)}::text[], ${parts.map(({ name }) => name)}::text[]
    ) as w (model, slug, name)
    join model_providers p on p.workspace_id = ${workspaceId} and p.slug = w.slug and p.enabled
    left join lateral (
      select e ->> 'id' as id from jsonb_array_elements(p.models) e
      where coalesce(e ->> 'alias', e ->> 'id') = w.name limit 1
    ) c on true
    left join model_provider_models m
      on m.workspace_id = p.workspace_id and m.provider_id = p.id and m.id = coalesce(c.id, w.name)
    where case when p.models is null then m.id is not null or p.listed_at is null else c.id is not null end
  `.execute(db);
  return new Map(rows.map((row) => [row.model, row]));
}

/** Returns which of the models a workspace does not have. Routes are not looked up. */
export async function findMissingModels(
  db: Db,
  workspaceId: string,
  models: readonly string[],
): Promise<Set<string>> {
  const found = await findTargets(db, workspaceId, models);
  return new Set(models.filter((model) => model !== ECHO_MODEL && !found.has(model)));
}

export interface CallableRoute {
  attempts: RouteAttempt[];
  fallback_on: FallbackReason[];
  created_at: Date;
}

/** Finds a route by its name. */
export async function findRoute(
  db: Db,
  workspaceId: string,
  name: string,
): Promise<CallableRoute | undefined> {
  const { rows } = await sql<CallableRoute>`
    select attempts, fallback_on, created_at from model_routes where workspace_id = ${workspaceId} and name = ${name}
  `.execute(db);
  return rows[0];
}

/** Lists the routes of a workspace by name. */
export async function listRouteNames(
  db: Db,
  workspaceId: string,
): Promise<{ name: string; created_at: Date }[]> {
  const { rows } = await sql<{ name: string; created_at: Date }>`
    select name, created_at from model_routes where workspace_id = ${workspaceId} order by name collate "C"
  `.execute(db);
  return rows;
}
