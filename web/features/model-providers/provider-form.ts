/** The values of the form of a model provider, and the request bodies made of them. */
import type { ModelProviderChange, NewModelProvider } from '../../api/model-providers.ts';
import type { ModelPrice, ModelProvider, ModelProviderKind } from '../../api/types.ts';
import { changes } from '../../design/changes.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import { type HeaderRow, newHeaderRow, toHeaders } from '../webhooks/header-rows.ts';
import { MASK, maskValues } from '../../patterns/form/mask.ts';

export interface ModelRow {
  /** Identifies the row while it is edited. */
  key: number;
  id: string;
  alias: string;
}

export interface PriceRow extends Record<keyof ModelPrice, string> {
  key: number;
  model: string;
}

export interface ProviderForm {
  name: string;
  slug: string;
  base_url: string;
  /** Empty keeps the stored key. */
  api_key: string;
  removes_key: boolean;
  headers: HeaderRow[];
  timeout_seconds: number;
  /** Empty for no limit. */
  max_concurrency: string;
  /** null for all that the provider lists. */
  models: ModelRow[] | null;
  prices: PriceRow[];
  metadata: MetadataPair[];
}

/** The API's default. */
const DEFAULT_TIMEOUT_S = 600;

export const NO_PRICE = {
  input: '',
  output: '',
  cached_input: '',
  cache_write: '',
  cache_write_1h: '',
  request: '',
  search: '',
} as const;

let lastKey = 0;
export const newModelRow = (row: Partial<ModelRow> = {}): ModelRow => ({
  key: ++lastKey,
  id: '',
  alias: '',
  ...row,
});
export const newPriceRow = (row: Partial<PriceRow> = {}): PriceRow => ({
  key: ++lastKey,
  model: '',
  ...NO_PRICE,
  ...row,
});

export const emptyProviderForm = ({ default_base_url: url }: ModelProviderKind): ProviderForm => ({
  name: '',
  slug: '',
  base_url: url ?? '',
  api_key: '',
  removes_key: false,
  headers: [],
  timeout_seconds: DEFAULT_TIMEOUT_S,
  max_concurrency: '',
  models: null,
  prices: [],
  metadata: [],
});

export const toProviderForm = (provider: ModelProvider): ProviderForm => ({
  name: provider.name,
  slug: provider.slug,
  base_url: provider.base_url,
  api_key: '',
  removes_key: false,
  headers: Object.keys(provider.headers).map((name) => newHeaderRow({ name, kept: true })),
  timeout_seconds: provider.timeout_seconds,
  max_concurrency: provider.max_concurrency?.toString() ?? '',
  models: provider.models?.map(({ id, alias }) => newModelRow({ id, alias: alias ?? '' })) ?? null,
  prices: Object.entries(provider.prices).map(([model, price]) =>
    newPriceRow({ model, ...priceTexts(price) }),
  ),
  metadata: toPairs(provider.metadata),
});

export type PriceTexts = Pick<PriceRow, keyof ModelPrice>;

export const priceTexts = (price: ModelPrice): PriceTexts => ({
  input: String(price.input),
  output: String(price.output),
  cached_input: price.cached_input?.toString() ?? '',
  cache_write: price.cache_write?.toString() ?? '',
  cache_write_1h: price.cache_write_1h?.toString() ?? '',
  request: price.request?.toString() ?? '',
  search: price.search?.toString() ?? '',
});

const toOptional = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/**
 * Returns the price of the API; blank prices are not set. The API rejects a price without one for input or output, which
 * must not become 0: calls would be free.
 */
export const toPrice = (texts: PriceTexts): ModelPrice => ({
  input: toOptional(texts.input) as number,
  output: toOptional(texts.output) as number,
  cached_input: toOptional(texts.cached_input),
  cache_write: toOptional(texts.cache_write),
  cache_write_1h: toOptional(texts.cache_write_1h),
  request: toOptional(texts.request),
  search: toOptional(texts.search),
});

const toModels = (rows: readonly ModelRow[] | null): NonNullable<ModelProvider['models']> | null =>
  rows?.flatMap(({ id, alias }) => (id.trim() ? [{ id: id.trim(), alias: alias.trim() || null }] : [])) ??
  null;

const toPrices = (rows: readonly PriceRow[]): Record<string, ModelPrice> =>
  Object.fromEntries(rows.flatMap((row) => (row.model.trim() ? [[row.model.trim(), toPrice(row)]] : [])));

const toSettings = (form: ProviderForm, hides: boolean) => ({
  name: form.name.trim(),
  slug: form.slug.trim(),
  base_url: form.base_url.trim(),
  headers: hides ? maskValues(toHeaders(form.headers)) : toHeaders(form.headers),
  models: toModels(form.models),
  prices: toPrices(form.prices),
  metadata: getMetadata(form.metadata),
  timeout_seconds: form.timeout_seconds,
  max_concurrency: form.max_concurrency.trim() === '' ? null : Number(form.max_concurrency),
});

const isBlank = (value: unknown): boolean =>
  value === '' || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** @param hides whether secrets are masked, to be shown */
export function toBody(kind: ModelProviderKind, form: ProviderForm, hides = false): NewModelProvider {
  const { timeout_seconds: timeout, ...settings } = toSettings(form, hides);
  const key = form.api_key.trim();
  return {
    kind: kind.id,
    ...Object.fromEntries(Object.entries(settings).filter(([, value]) => !isBlank(value))),
    ...(key && { api_key: hides ? MASK : key }),
    ...(timeout !== DEFAULT_TIMEOUT_S && { timeout_seconds: timeout }),
  };
}

/** Returns a PATCH body: the values that differ from the saved provider. @param hides as of `toBody` */
export function toChange(form: ProviderForm, provider: ModelProvider, hides = false): ModelProviderChange {
  const key = form.api_key.trim();
  return {
    ...changes(toSettings(form, hides), toSettings(toProviderForm(provider), hides)),
    ...(key ? { api_key: hides ? MASK : key } : form.removes_key && { api_key: null }),
  };
}

/** Whether the URL has another origin than the saved one; then secrets must be entered again. */
export function changesOrigin(url: string, provider: ModelProvider): boolean {
  return URL.canParse(url) && new URL(url).origin !== new URL(provider.base_url).origin;
}

/** Returns the line of the settings that allows an address, if a refusal names one. */
export const getAllowLine = (text: string | undefined): string | null =>
  /EGRESS_ALLOW=\S+[^\s.,;]/.exec(text ?? '')?.[0] ?? null;
