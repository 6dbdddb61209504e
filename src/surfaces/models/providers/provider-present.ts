/** A model provider as the API and its events show it: without its key, and with only the names of its headers. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type ModelPriceObject, toWholePrice } from './price.schema.ts';
import { PRESETS } from './provider-kinds.ts';
import type { ListedModelObject, ModelProviderObject } from './provider.schema.ts';
import type { ListedModelRow, ProviderRow } from './provider.store.ts';

export const presentProvider = (row: ProviderRow): ModelProviderObject => ({
  id: publicId('model_provider', row.id),
  object: 'model_provider',
  name: row.name,
  slug: row.slug,
  kind: row.kind,
  base_url: row.base_url,
  has_api_key: row.has_api_key,
  headers: Object.fromEntries(row.header_names.map((name) => [name, null])),
  models: row.models,
  prices: Object.fromEntries(
    Object.entries(row.prices).map(([model, price]) => [model, toWholePrice(price)]),
  ),
  timeout_seconds: row.timeout_seconds,
  max_concurrency: row.max_concurrency,
  enabled: row.enabled,
  state: row.state,
  last_error: row.last_error,
  models_count: row.models_count,
  listed_at: row.listed_at?.toISOString() ?? null,
  metadata: row.metadata,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const FREE = toWholePrice({ input: 0, output: 0 });

/**
 * Returns the price of a model in USD per million tokens, and where it comes from.
 * @param set from `prices` of the provider @param listed by the provider itself
 */
export function findPrice(
  kind: ProviderRow['kind'],
  set: ModelPriceObject | null | undefined,
  listed: ModelPriceObject | null | undefined,
): Pick<ListedModelObject, 'pricing' | 'price_source'> {
  if (set) return { pricing: toWholePrice(set), price_source: 'configured' };
  if (listed) return { pricing: toWholePrice(listed), price_source: 'listed' };
  if (PRESETS[kind].isLocal) return { pricing: FREE, price_source: 'local' };
  return { pricing: null, price_source: null };
}

const own = <T>(record: Record<string, T>, name: string): T | null =>
  Object.hasOwn(record, name) ? record[name]! : null;

/** Returns the public IDs by which a workspace can call a model of a provider. */
function getModelIds({ slug, models }: ProviderRow, upstreamId: string): string[] {
  if (models === null) return [`${slug}/${upstreamId}`];
  return models.filter(({ id }) => id === upstreamId).map(({ id, alias }) => `${slug}/${alias ?? id}`);
}

export const presentListedModel = (provider: ProviderRow, model: ListedModelRow): ListedModelObject => ({
  id: model.id,
  object: 'model_provider_model',
  model_ids: getModelIds(provider, model.id),
  context_length: model.context_length,
  ...findPrice(provider.kind, own(provider.prices, model.id), model.price),
});
