/** Interface of the catalog: the models of a workspace, and the upstreams of their calls. */
import type { CallOperation, Upstream, UpstreamError } from './upstream.ts';

/** Billionths of a USD per token. */
export interface Price {
  input: number;
  cachedInput: number;
  output: number;
  /** Input that is written to the provider's cache; as `input` if absent. */
  cacheWrite?: number;
  /** Input that the cache keeps for an hour; as `cacheWrite` if absent. */
  cacheWrite1h?: number;
  /** Billionths of a USD for each response. */
  request?: number;
  /** Billionths of a USD for each search that the provider makes. */
  search?: number;
}

export interface ModelInfo {
  /** `provider/model` or `route/name`. */
  id: string;
  created: Date;
  owned_by: string;
  context_length: number | null;
  modalities: { input: string[]; output: string[] } | null;
  capabilities: string[];
  /** Database ID; null for built-in models and routes. */
  providerId: string | null;
  price: Price | null;
}

/** One model at one provider that a call can be sent to. */
export interface Target {
  /** Public ID: `provider/model`. */
  model: string;
  /** The provider's name of the model. */
  upstreamModel: string;
  /** Database ID; null for the built-in provider. */
  providerId: string | null;
  providerSlug: string;
  upstream: Upstream;
  timeoutMs: number;
  /** Null if not known. */
  price: Price | null;
  /** The price reserved if the actual one is unknown, but the provider reports the cost of each call. */
  reservePrice?: Price | null;
  /** How the provider reports usage. */
  reporting?: {
    /** Whether the cost that it reports replaces one that is computed. */
    hasCost: boolean;
    /** Whether tokens that only its total has are reasoning, which is output. */
    hasReasoningInTotal: boolean;
  };
  /** Upper bound of the output if the call sets none; null if not known. */
  maxOutputTokens: number | null;
  /** Input tokens that the model takes, at most; null if not known. */
  contextLength: number | null;
  /**
   * How the provider handles fields that name further models: `models` is checked, or all are rejected; null if it
   * ignores them.
   */
  modelFields: 'checked' | 'refused' | null;
  supports(operation: CallOperation): boolean;
  /** Takes one of the provider's concurrent calls; waits for one. @returns a function that gives it back */
  enter(signal: AbortSignal): Promise<() => void>;
}

/** Rejections for which a route tries its next model only if it says so. */
export const FALLBACK_REASONS = ['context_length'] as const;
export type FallbackReason = (typeof FALLBACK_REASONS)[number];

/** A model that a route tries; `timeout_seconds`: null for its provider's. */
export interface RouteAttempt {
  model: string;
  timeout_seconds: number | null;
}

export interface Resolved {
  /** Name of the route, or null. */
  route: string | null;
  /** At least one, in the order in which they are tried. */
  targets: Target[];
  /** Of a route. */
  fallbackOn?: readonly FallbackReason[];
}

export interface ModelCatalog {
  /** Lists the models of all providers, also of those that are failing, and the routes. */
  list(workspaceId: string): Promise<ModelInfo[]>;
  /** @throws Problem not_found with the field error model_not_found */
  resolve(workspaceId: string, model: string): Promise<Resolved>;
  /** Reports how a call to a target went: the provider becomes failing, or recovers. Never throws. */
  report(workspaceId: string, target: Target, failure: UpstreamError | { status: number } | null): void;
}
