/**
 * Interface of the ledger: the reserved and the actual cost of each model call.
 *
 * Invariant: a call is in `model_open_calls` from its admission until it is in `model_calls`, and each is counted once,
 * also if the process dies in between.
 */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { CallOperation } from './upstream.ts';

export interface TokenUsage {
  /** Including cached tokens and those written to the cache. */
  input: number;
  cached: number;
  /** Including reasoning. */
  output: number;
  /** Input tokens that the provider wrote to its cache; these and the following are absent for none. */
  cacheWrites?: number;
  /** Those of them that are cached for an hour. */
  cacheWrites1h?: number;
  reasoning?: number;
  /** Input and output tokens of audio, and of images. */
  audio?: number;
  image?: number;
}

/** An amount that a call may use. */
export interface CallAmount {
  /** Input and output. */
  tokens: number;
  /** Billionths of a USD; null if a price is not known. */
  cost: number | null;
}

export interface WorstCase extends CallAmount {
  /** Whether a model has no price, so that the cost is known only if its provider reports it. */
  isCostOpen?: boolean;
}

export interface NewCall {
  /** UUID of the API request, which the call then shares; a new one without it. */
  id?: string | undefined;
  actor: WorkspaceActor | { workspaceId: string; id: string };
  operation: CallOperation;
  /** As the caller named it, a route's too. */
  model: string;
  route: string | null;
  /** Upper bounds. */
  worst: WorstCase;
  /** Whether it only tests its provider. */
  isTest?: boolean | undefined;
}

/** A call that is being admitted. */
export interface AdmittedCall extends NewCall {
  /** Same as of the open call. */
  id: string;
  /** Its use if it is like the caller's last ones. */
  typical: CallAmount;
}

export interface OpenCall extends NewCall {
  /** Database ID; a UUIDv7. */
  id: string;
  /** Monotonic milliseconds. */
  startedAt: number;
  /** Whether the workspace stores prompts and responses. */
  storesContent: boolean;
}

export interface CallResult {
  outcome: 'succeeded' | 'failed' | 'canceled';
  /** The model that answered, or that was tried last. */
  model: string;
  providerId: string | null;
  /** Of the response to the caller; null if none was sent. */
  status: number | null;
  errorCode: string | null;
  /** Of a route: how each attempt ended, such as `openai/gpt-5:timeout`; else null. */
  attempts: string[] | null;
  /** Of all attempts together. */
  usage: TokenUsage;
  isEstimated: boolean;
  /** Billionths of a USD; null if not known. */
  cost: number | null;
  firstByteMs: number | null;
  durationMs: number;
  isTest?: boolean | undefined;
}

export interface CallLedger {
  /**
   * Admits a call: reserves its worst case, or the caller's typical usage, in every budget that applies, and records it
   * as open, in one statement.
   * @throws Problem budget_exceeded with `resets_at`; price_unknown if a budget in USD applies and `worst.cost` is null
   */
  admit(call: NewCall): Promise<OpenCall>;
  /** Records how a call ended and settles its reservations. Calls after the first have no effect. */
  complete(call: OpenCall, result: CallResult): Promise<void>;
}

export interface Ledger extends CallLedger {
  /** Writes completed calls of this process to the database. Call it before reading their usage. */
  settle(workspaceId: string): Promise<void>;
  /** Has the next calls of a workspace look at its budgets again. */
  budgetsChanged(workspaceId: string): void;
  start(): void;
  /** Retries pending writes once more; call it when no call is running. */
  stop(): Promise<void>;
}
