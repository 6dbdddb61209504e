/**
 * The models of a workspace: `fairlead/echo`, those of its providers, and its routes. A call reads the rows that it needs by
 * their keys; callers who call often share what was read (resolved-models.ts).
 */
import type { Dispatcher } from 'undici';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Database } from '../../../platform/db/database.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { CallOperation } from '../contract/upstream.ts';
import { createEcho, ECHO_MODEL } from '../echo/echo.ts';
import { createConcurrency } from '../providers/concurrency.ts';
import { createProviderHealth } from '../providers/health.ts';
import type { ListedModelRow, ProviderRow } from '../providers/provider.store.ts';
import { createHttpUpstream } from '../providers/http-upstream.ts';
import { type ModelPriceObject, toWholePrice } from '../providers/price.schema.ts';
import { PRESETS } from '../providers/provider-kinds.ts';
import { findPrice } from '../providers/provider-present.ts';
import * as store from './catalog.store.ts';
import type { ModelCatalog, ModelInfo, Price, Resolved, Target } from '../contract/model-catalog.ts';
import { createResolvedModels } from './resolved-models.ts';

export interface CatalogDeps {
  db: Database;
  units: Units;
  secrets: SecretBox;
  dispatcher: Dispatcher;
  log: Pick<Log, 'warn'>;
}

const ECHO: ModelInfo = {
  id: ECHO_MODEL,
  created: new Date('2026-01-01T00:00:00Z'),
  owned_by: 'fairlead',
  context_length: 32_768,
  modalities: { input: ['text'], output: ['text'] },
  capabilities: ['chat', 'embeddings', 'json_schema', 'streaming', 'tools'],
  providerId: null,
  price: { input: 0, cachedInput: 0, output: 0 },
};
const ECHO_TIMEOUT_MS = 60_000;
/** A model that its provider does not list. */
const UNLISTED = {
  released_at: null,
  owned_by: null,
  context_length: null,
  max_output: null,
  modalities: null,
  capabilities: null,
  price: null,
};

/** Billionths of a USD per token, from USD per million tokens. */
const NANO_USD = 1000;
const PER_MILLION = 1_000_000;

/** Returns the price per token. Tokens from the provider's cache cost as much as others if there is no price for them. */
const toPrice = (price: ModelPriceObject | null): Price | null =>
  price && {
    input: price.input * NANO_USD,
    cachedInput: (price.cached_input ?? price.input) * NANO_USD,
    output: price.output * NANO_USD,
    ...(price.cache_write == null ? {} : { cacheWrite: price.cache_write * NANO_USD }),
    ...(price.cache_write_1h == null ? {} : { cacheWrite1h: price.cache_write_1h * NANO_USD }),
    ...(price.request == null ? {} : { request: price.request * NANO_USD * PER_MILLION }),
    ...(price.search == null ? {} : { search: price.search * NANO_USD * PER_MILLION }),
  };

const getPrice = (row: store.CatalogRow): Price | null =>
  toPrice(findPrice(row.kind, row.set_price, row.price).pricing);

const toInfo = (row: store.CatalogRow): ModelInfo => ({
  id: row.model,
  created: row.released_at ?? row.created_at,
  owned_by: row.owned_by ?? row.slug,
  context_length: row.context_length,
  modalities: row.modalities,
  capabilities: row.capabilities ?? [],
  providerId: row.provider_id,
  price: getPrice(row),
});

const toRouteInfo = ({ name, created_at: created }: { name: string; created_at: Date }): ModelInfo => ({
  id: `${store.ROUTE_PREFIX}${name}`,
  created,
  owned_by: 'fairlead',
  context_length: null,
  modalities: null,
  capabilities: [],
  providerId: null,
  price: null,
});

/** Builds the problem of an unknown model. */
export const modelNotFound = (model: string): Problem =>
  new Problem(
    'not_found',
    `There is no model "${model.slice(0, 100)}". GET /models lists the available models.`,
    {
      errors: [
        { pointer: '/model', code: 'model_not_found', detail: 'must be the ID of a model from GET /models' },
      ],
    },
  );

/** A target of a provider, with the data for its health. */
interface ProviderTarget extends Target {
  observed: { workspaceId: string; id: string; state: 'active' | 'failing' };
}

const isOfProvider = (target: Target): target is ProviderTarget => 'observed' in target;

export interface Catalog extends ModelCatalog {
  /** Gets a model. @throws Problem not_found */
  get(workspaceId: string, model: string): Promise<ModelInfo>;
  /** Returns the target of a model whether or not the workspace uses it. @param listed as the provider lists it */
  targetOf(provider: ProviderRow, listed: ListedModelRow | undefined, upstreamModel: string): Target;
  /** Makes the next calls see changes in a workspace. Call it after the commit. */
  changed(workspaceId: string): void;
  stop(): Promise<void>;
}

export function createCatalog(deps: CatalogDeps): Catalog {
  const { db, units, log } = deps;
  const concurrency = createConcurrency();
  const health = createProviderHealth({
    units,
    log,
    onChange: (workspaceId) => resolved.forget(workspaceId),
  });

  const echo: Target = {
    model: ECHO_MODEL,
    upstreamModel: ECHO_MODEL,
    providerId: null,
    providerSlug: 'fairlead',
    upstream: createEcho(),
    timeoutMs: ECHO_TIMEOUT_MS,
    price: ECHO.price,
    maxOutputTokens: ECHO.context_length,
    contextLength: ECHO.context_length,
    modelFields: null,
    supports: () => true,
    enter: async () => () => {},
  };

  const toTarget = (row: store.TargetRow, timeoutSeconds: number | null): ProviderTarget => {
    const timeoutMs = (timeoutSeconds ?? row.timeout_seconds) * 1000;
    return {
      model: row.model,
      upstreamModel: row.upstream_model,
      providerId: row.provider_id,
      providerSlug: row.slug,
      upstream: createHttpUpstream(deps, row),
      timeoutMs,
      price: getPrice(row),
      reservePrice: row.reserve_price && toPrice(toWholePrice(row.reserve_price)),
      reporting: {
        // A price that the workspace set wins.
        hasCost: row.kind === 'openrouter' && row.set_price === null,
        hasReasoningInTotal: row.kind === 'gemini',
      },
      maxOutputTokens: row.max_output ?? row.context_length,
      contextLength: row.context_length,
      modelFields: PRESETS[row.kind].modelFields ?? null,
      supports: (operation: CallOperation) => PRESETS[row.kind].operations.includes(operation),
      enter: (signal) => concurrency.enter(row.id, row.max_concurrency, timeoutMs, signal),
      observed: { workspaceId: row.workspace_id, id: row.id, state: row.state },
    };
  };

  /** Finds the targets of a route. Models that no longer exist are skipped. */
  const resolveRoute = async (
    workspaceId: string,
    model: string,
  ): Promise<Pick<Resolved, 'targets' | 'fallbackOn'>> => {
    const route = await store.findRoute(db, workspaceId, model.slice(store.ROUTE_PREFIX.length));
    if (!route) throw modelNotFound(model);
    const rows = await store.findTargets(
      db,
      workspaceId,
      route.attempts.map((attempt) => attempt.model),
    );
    const targets = route.attempts.flatMap((attempt) => {
      const { timeout_seconds: seconds } = attempt;
      if (attempt.model === ECHO_MODEL)
        return [{ ...echo, timeoutMs: seconds === null ? echo.timeoutMs : seconds * 1000 }];
      const row = rows.get(attempt.model);
      return row ? [toTarget(row, seconds)] : [];
    });
    return { targets, fallbackOn: route.fallback_on };
  };

  const resolved = createResolvedModels(async (workspaceId, model) => {
    if (model.startsWith(store.ROUTE_PREFIX)) {
      const route = await resolveRoute(workspaceId, model);
      if (!route.targets.length) throw modelNotFound(model);
      return { route: model.slice(store.ROUTE_PREFIX.length), ...route };
    }
    const row = (await store.findTargets(db, workspaceId, [model])).get(model);
    if (!row) throw modelNotFound(model);
    return { route: null, targets: [toTarget(row, null)] };
  });

  return {
    async list(workspaceId) {
      const [rows, routes] = await Promise.all([
        store.listCatalog(db, workspaceId),
        store.listRouteNames(db, workspaceId),
      ]);
      return [ECHO, ...rows.map(toInfo), ...routes.map(toRouteInfo)];
    },
    async get(workspaceId, model) {
      if (model === ECHO_MODEL) return ECHO;
      if (model.startsWith(store.ROUTE_PREFIX)) {
        const name = model.slice(store.ROUTE_PREFIX.length);
        const route = await store.findRoute(db, workspaceId, name);
        if (route) return toRouteInfo({ name, created_at: route.created_at });
      } else {
        const row = (await store.findTargets(db, workspaceId, [model])).get(model);
        if (row) return toInfo(row);
      }
      throw modelNotFound(model);
    },
    targetOf: (provider, listed, model) =>
      toTarget(
        {
          ...UNLISTED,
          ...listed,
          ...provider,
          model: `${provider.slug}/${model}`,
          upstream_model: model,
          reserve_price: null,
          provider_id: provider.id,
          set_price: Object.hasOwn(provider.prices, model) ? provider.prices[model]! : null,
        },
        null,
      ),
    async resolve(workspaceId, model) {
      return model === ECHO_MODEL ? { route: null, targets: [echo] } : resolved.get(workspaceId, model);
    },
    report(_workspaceId, target, failure) {
      if (isOfProvider(target)) health.report(target.observed, failure);
    },
    changed: resolved.forget,
    stop: health.stop,
  };
}
