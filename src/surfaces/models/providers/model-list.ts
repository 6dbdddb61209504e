/**
 * Reads the model list of a provider. OpenAI's list has little more than names; additions of other providers are read
 * from their own fields. Lists are bounded in size and number, and unknown entries are skipped.
 */
import {
  DEFAULT_JSON_BOUNDS,
  ForeignJsonError,
  type JsonBounds,
  parseForeignJson,
} from '../../../platform/json/foreign-json.ts';
import { MODEL_NAME_PATTERN } from './model-name.ts';
import { MAX_PRICE, type ModelPriceObject } from './price.schema.ts';
import type { ListedModelRow } from './provider.store.ts';

export const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** OpenRouter's list, the longest known, has 1 MB and 35,000 values. */
const BOUNDS: JsonBounds = { ...DEFAULT_JSON_BOUNDS, bytes: MAX_LIST_BYTES };
const MAX_MODELS = 5_000;
const MAX_NAME = 200;
const NAME = new RegExp(MODEL_NAME_PATTERN, 'u');
const MAX_INTEGER = 2 ** 31 - 1;
const MAX_WORDS = 20;
const PER_MILLION = 1_000_000;

/** A response that is no model list. Its message may be shown. */
export class ModelListError extends Error {
  override name = 'ModelListError';
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const toObject = (value: unknown): Json => (isObject(value) ? value : {});

function firstInteger(...values: unknown[]): number | null {
  const found = values.find(
    (value) => Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_INTEGER,
  );
  return (found as number | undefined) ?? null;
}

const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_NAME && NAME.test(value);
const toWords = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter(isWord).slice(0, MAX_WORDS) : null;

function getModalities(model: Json): ListedModelRow['modalities'] {
  for (const part of [model['architecture'], model['modalities'], model]) {
    const { input_modalities, output_modalities, input, output } = toObject(part);
    const from = toWords(input_modalities) ?? toWords(input);
    const to = toWords(output_modalities) ?? toWords(output);
    if (from && to) return { input: from, output: to };
  }
  return null;
}

/**
 * Returns an amount of USD from OpenRouter's list, times a number; null for variable prices, which are negative, and
 * for invalid ones.
 */
function toUsd(listed: unknown, times: number): number | null {
  if (typeof listed !== 'string' && typeof listed !== 'number') return null;
  if (listed === '') return null;
  const amount = Number((Number(listed) * times).toPrecision(12));
  return amount >= 0 && amount <= MAX_PRICE ? amount : null;
}

/** Returns USD per million tokens from USD per token. */
const toPrice = (perToken: unknown): number | null => toUsd(perToken, PER_MILLION);

function getPrice({ pricing }: Json): ModelPriceObject | null {
  const { prompt, completion, input_cache_read, input_cache_write, request, web_search } = toObject(pricing);
  const [input, output] = [toPrice(prompt), toPrice(completion)];
  if (input === null || output === null) return null;
  return {
    input,
    output,
    cached_input: toPrice(input_cache_read),
    cache_write: toPrice(input_cache_write),
    cache_write_1h: null,
    request: toUsd(request, 1),
    search: toUsd(web_search, 1),
  };
}

/** Providers' names of capabilities → our names. */
const CAPABILITIES: Record<string, string> = {
  completion_chat: 'chat',
  function_calling: 'tools',
  tools: 'tools',
  vision: 'vision',
  reasoning: 'reasoning',
  structured_outputs: 'json_schema',
  embedding: 'embeddings',
  embeddings: 'embeddings',
};

function getCapabilities(model: Json, modalities: ListedModelRow['modalities']): string[] {
  const { capabilities, supported_parameters: parameters } = model;
  const named = isObject(capabilities)
    ? Object.keys(capabilities).filter((name) => capabilities[name] === true)
    : (toWords(capabilities) ?? []);
  const known = [...named, ...(toWords(parameters) ?? [])].flatMap((name) => CAPABILITIES[name] ?? []);
  if (modalities?.input.includes('image')) known.push('vision');
  if (modalities?.output.includes('embeddings')) known.push('embeddings');
  return [...new Set(known)].sort();
}

/** Release time from seconds, as OpenAI has it, or from RFC 3339. */
function getTime({ created, created_at: at }: Json): Date | null {
  const ms =
    typeof created === 'number' ? created * 1000 : typeof at === 'string' ? Date.parse(at) : Number.NaN;
  return ms > 0 && ms < Date.UTC(9999, 0) ? new Date(ms) : null;
}

function toModel(model: Json, idPrefix: string): ListedModelRow | null {
  const listed = [model['id'], model['model'], model['name']].find(isWord);
  if (listed === undefined) return null;
  const id = listed.startsWith(idPrefix) ? listed.slice(idPrefix.length) : listed;
  if (id === '') return null;
  const meta = toObject(model['meta']);
  const provider = toObject(model['top_provider']);
  const modalities = getModalities(model);
  const { owned_by: owner } = model;
  return {
    id,
    released_at: getTime(model),
    owned_by: isWord(owner) ? owner : null,
    context_length: firstInteger(
      model['context_length'],
      model['max_model_len'],
      model['context_window'],
      model['max_context_length'],
      model['max_input_tokens'],
      model['inputTokenLimit'],
      provider['context_length'],
      meta['n_ctx'],
      meta['n_ctx_train'],
    ),
    max_output: firstInteger(
      provider['max_completion_tokens'],
      model['max_completion_tokens'],
      model['max_output_tokens'],
      model['max_output_length'],
      model['outputTokenLimit'],
    ),
    modalities,
    capabilities: getCapabilities(model, modalities),
    price: getPrice(model),
  };
}

function getItems(list: unknown): unknown[] | null {
  if (Array.isArray(list)) return list;
  const { data, models } = toObject(list);
  return Array.isArray(data) ? data : Array.isArray(models) ? models : null;
}

/**
 * Reads a list as OpenAI sends it (`data`), as a plain array, or as `models`.
 * @param idPrefix beginning of listed IDs that is left out
 * @throws ModelListError if it is not a list
 */
export function parseModelList(body: Buffer, idPrefix = ''): ListedModelRow[] {
  let list: unknown;
  try {
    list = parseForeignJson(body, BOUNDS);
  } catch (error) {
    if (!(error instanceof ForeignJsonError)) throw error;
    throw new ModelListError(`The model list ${error.detail}.`, { cause: error });
  }
  const items = getItems(list);
  if (!items) throw new ModelListError('The model list has no array `data`.');
  const models = new Map<string, ListedModelRow>();
  for (const item of items) {
    const model = isObject(item) ? toModel(item, idPrefix) : null;
    if (model && !models.has(model.id)) models.set(model.id, model);
    if (models.size === MAX_MODELS) break;
  }
  return [...models.values()];
}
