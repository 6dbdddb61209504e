/**
 * Models that a call names beside its own, in fields that some providers obey. Each could pass a key's `allowed_models` and
 * the price that is reserved, so a call is sent only if every model that it names is known, allowed and reserved.
 */
import { assertModelsAllowed } from '../../../core/auth/allowed-models.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { ModelCatalog, Price, Target } from './model-catalog.ts';
import type { CallJson } from './input-size.ts';

/** The fields, wherever they are obeyed. */
const FIELDS = [
  'api_base',
  'api_key',
  'base_url',
  'content_policy_fallbacks',
  'context_window_fallbacks',
  'custom_llm_provider',
  'fallbacks',
  'model_list',
  'models',
  'preset',
  'user_config',
] as const;
/** A field whose models are checked one by one. */
const LIST = 'models';
const MAX_MODELS = 20;

export interface FurtherModels {
  /** JSON pointers of the fields that the call has. */
  pointers: string[];
  /** Names in `models` as the provider knows them; null if they can't be read. */
  names: string[] | null;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Reads the fields of a call, and of `extra_body`, which some servers merge into the body. */
export function readFurtherModels(body: CallJson): FurtherModels {
  const extra = body['extra_body'];
  const merged = extra !== null && typeof extra === 'object' ? (extra as Record<string, unknown>) : {};
  const listed = body[LIST];
  const isReadable =
    Array.isArray(listed) &&
    listed.length <= MAX_MODELS &&
    listed.every((name) => typeof name === 'string' && name.length <= 300);
  return {
    pointers: [
      ...FIELDS.filter((name) => isGiven(body[name])).map((name) => `/${name}`),
      ...FIELDS.filter((name) => isGiven(merged[name])).map((name) => `/extra_body/${name}`),
    ],
    names: isReadable ? (listed as string[]) : null,
  };
}

const unsupported = (pointer: string, detail: string): Problem =>
  new Problem('unsupported_by_provider', 'The call names models that Fairlead cannot check.', {
    errors: [{ pointer, code: 'unsupported_by_provider', detail }],
  });

/** Returns the highest number; null if one is not known. */
const highest = (values: readonly (number | null)[]): number | null =>
  values.includes(null) ? null : Math.max(...(values as number[]));

/** Returns the price at which no other one costs more; null if one is not known. */
function getHighestPrice(prices: readonly (Price | null)[]): Price | null {
  if (prices.includes(null)) return null;
  const known = prices as Price[];
  const most = (get: (price: Price) => number): number => Math.max(...known.map(get));
  const getWrite = ({ cacheWrite, input }: Price): number => cacheWrite ?? input;
  return {
    input: most(({ input }) => input),
    cachedInput: most(({ cachedInput }) => cachedInput),
    cacheWrite: most(getWrite),
    cacheWrite1h: most((price) => price.cacheWrite1h ?? getWrite(price)),
    output: most(({ output }) => output),
    request: most(({ request = 0 }) => request),
  };
}

/** Returns a target with the highest price and limits of all targets. */
function atMost(target: Target, others: readonly Target[]): Target {
  const all = [target, ...others];
  return {
    ...target,
    price: getHighestPrice(all.map(({ price }) => price)),
    maxOutputTokens: highest(all.map(({ maxOutputTokens }) => maxOutputTokens)),
    contextLength: highest(all.map(({ contextLength }) => contextLength)),
  };
}

/**
 * Checks the further models of a call for the target that would obey them.
 * @returns the target at the highest price of all models
 * @throws Problem unsupported_by_provider for a field or a model that can't be checked; model_not_allowed
 */
export async function withFurtherModels(
  catalog: Pick<ModelCatalog, 'resolve'>,
  actor: Parameters<typeof assertModelsAllowed>[0] & { workspaceId: string },
  { pointers, names }: FurtherModels,
  target: Target,
): Promise<Target> {
  const { modelFields, providerSlug: slug } = target;
  const obeyed =
    modelFields === null
      ? []
      : pointers.filter((pointer) => pointer !== '/models' || modelFields === 'refused' || names === null);
  if (obeyed.length)
    throw unsupported(
      obeyed[0]!,
      'must be left out, because the provider may call other models for it. Use a model route',
    );
  if (modelFields === null || names === null) return target;
  assertModelsAllowed(
    actor,
    names.map((name, nth) => [`/models/${nth}`, `${slug}/${name}`] as const),
  );
  const others = await Promise.all(
    names.map(async (name, nth) => {
      const { targets } = await catalog
        .resolve(actor.workspaceId, `${slug}/${name}`)
        .catch((error: unknown) => {
          if (error instanceof Problem && error.code === 'not_found') return { targets: [] };
          throw error;
        });
      const [found] = targets;
      // An alias has another name at the provider, which would call a different model.
      if (found?.upstreamModel !== name)
        throw unsupported(`/models/${nth}`, "must be a model of the provider, by the provider's own name");
      return found;
    }),
  );
  return atMost(target, others);
}
