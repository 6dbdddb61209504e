/**
 * Reads the model lists of providers: when a provider is created or changed, every hour, and on request. The request runs
 * outside of transactions; its result is then applied to the current row. A list that can't be read keeps the previous one
 * and makes the provider failing, unless it has none and its models were given.
 */
import type { ReadUnit, Unit, Units } from '../../../core/unit/unit-of-work.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Egress } from '../../../platform/egress/egress.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { currentTime } from '../../../platform/time/clock.ts';
import { claimDueProviders } from './due-providers.system-store.ts';
import { MAX_LIST_BYTES, ModelListError, parseModelList } from './model-list.ts';
import { changeHealth } from './provider-change.ts';
import { PRESETS } from './provider-kinds.ts';
import { describeFailure, getListRequest, toUpstreamError } from './provider-request.ts';
import type { ProviderError } from './provider.schema.ts';
import { lockProvider, requireProvider } from './provider.service.ts';
import * as store from './provider.store.ts';

const MAX_TIMEOUT_MS = 20_000;
const HOUR_MS = 3_600_000;
/** Failing providers are read again sooner, so that they recover without calls. */
const FAILING_MS = 300_000;
/** Providers of one transaction. */
const MAX_CLAIMED = 100;

export interface RefreshDeps {
  egress: Pick<Egress, 'request'>;
  secrets: SecretBox;
}

/** A provider's list as it was read, or why it could not be. */
export interface ReadList {
  /** Address and credentials that it was read with. */
  base_url: string;
  secrets_sealed: string | null;
  /** When the request began. */
  at: Date;
  latencyMs: number | null;
  /** `hasList` is false if the provider responded and seems to have no list, which is no failure with `models`. */
  result: { models: store.ListedModelRow[] } | { error: ProviderError; hasList: boolean };
}

/** Statuses of a path or method that is not there. */
const MISSING: ReadonlySet<number> = new Set([404, 405, 410, 501]);

const invalidResponse = (detail: string): ProviderError => ({ code: 'invalid_response', detail });

/** Reads the model list of a provider. Throws only if `signal` aborts. */
export async function readModelList(
  { egress, secrets }: RefreshDeps,
  row: store.ProviderRow,
  signal?: AbortSignal,
): Promise<ReadList> {
  const startedAt = performance.now();
  const read = { base_url: row.base_url, secrets_sealed: row.secrets_sealed, at: currentTime() };
  const failed = (error: ProviderError, latencyMs: number | null, hasList = true): ReadList => ({
    ...read,
    latencyMs,
    result: { error, hasList },
  });
  let answer;
  try {
    answer = await egress.request({
      ...getListRequest(secrets, row),
      method: 'GET',
      timeoutMs: Math.min(row.timeout_seconds * 1000, MAX_TIMEOUT_MS),
      maxAnswerBytes: MAX_LIST_BYTES,
      signal,
    });
  } catch (error) {
    signal?.throwIfAborted();
    return failed(describeFailure(toUpstreamError(error, false))!, null);
  }
  const latencyMs = Math.round(performance.now() - startedAt);
  const { status, headers, body, truncated } = answer;
  if (status !== 200) {
    const error = describeFailure({ status }) ?? {
      code: 'error_response',
      detail: `The provider responded to GET /models with ${status}.`,
    };
    return failed(error, latencyMs, !MISSING.has(status));
  }
  if (truncated) return failed(invalidResponse('The model list is larger than 16 MiB.'), latencyMs);
  if (![undefined, '', 'identity'].includes(String(headers['content-encoding'] ?? '')))
    return failed(invalidResponse('The model list is compressed, which was not requested.'), latencyMs);
  try {
    const models = parseModelList(body, PRESETS[row.kind].list?.idPrefix);
    return { ...read, latencyMs, result: { models } };
  } catch (error) {
    if (!(error instanceof ModelListError)) throw error;
    return failed(invalidResponse(error.message), latencyMs, false);
  }
}

/** Reads the model list of a provider. @throws Problem not_found */
export const readListOf = async (
  unit: ReadUnit,
  deps: RefreshDeps,
  workspaceId: string,
  id: string,
): Promise<ReadList> => readModelList(deps, await requireProvider(unit, workspaceId, id));

/**
 * Applies a list to the current row, unless its address or credentials changed meanwhile, or a newer list was applied.
 * @param callError the error of a call made beside the list; null if it succeeded or there was none
 * @throws Problem not_found
 */
export async function applyList(
  unit: Unit,
  workspaceId: string,
  id: string,
  read: ReadList,
  callError: ProviderError | null = null,
): Promise<store.ProviderRow> {
  const row = await lockProvider(unit, workspaceId, id);
  if (row.base_url !== read.base_url || row.secrets_sealed !== read.secrets_sealed) return row;
  const now = unit.clock();
  const { result } = read;
  if ('error' in result && !result.hasList && row.models !== null)
    return changeHealth(unit, row, callError, { refresh_at: new Date(now.getTime() + HOUR_MS) });
  if ('error' in result)
    return changeHealth(unit, row, result.error, { refresh_at: new Date(now.getTime() + FAILING_MS) });
  // Another one that began later was faster.
  if (row.listed_at !== null && row.listed_at > read.at) return row;
  await store.replaceListedModels(unit.db, workspaceId, id, result.models);
  return changeHealth(unit, row, callError, {
    models_count: result.models.length,
    listed_at: read.at,
    refresh_at: new Date(now.getTime() + HOUR_MS),
  });
}

/** Reads and applies the list of a provider that may have been deleted or disabled meanwhile. */
async function refreshOne(
  units: Units,
  deps: RefreshDeps,
  { workspaceId, id }: JobPayloads['model-providers.refresh'],
  signal?: AbortSignal,
): Promise<void> {
  const row = await store.getProvider(units.read.db, workspaceId, id);
  if (!row?.enabled) return;
  const read = await readModelList(deps, row, signal);
  await units.write(async (unit) => {
    const current = await store.lockProvider(unit.db, workspaceId, id);
    if (current?.enabled) await applyList(unit, workspaceId, id, read);
  });
}

/** Executes the job `model-providers.refresh`. */
export const executeRefresh = (
  units: Units,
  deps: RefreshDeps,
  payload: JobPayloads['model-providers.refresh'],
  signal?: AbortSignal,
): Promise<void> => refreshOne(units, deps, payload, signal);

/**
 * Leaves the refresh of due providers to jobs, in which persons share the slots, until none is due or `signal` aborts.
 */
export async function enqueueDueProviders(
  units: Units,
  now: () => Date,
  signal?: AbortSignal,
): Promise<void> {
  let count: number;
  do
    count = await units.write(async (unit) => {
      const due = await claimDueProviders(unit.db, now(), MAX_CLAIMED, HOUR_MS / 1000);
      for (const { workspace_id: workspaceId, id } of due)
        await unit.jobs.enqueue(unit.db, 'model-providers.refresh', { workspaceId, id });
      return due.length;
    });
  while (count === MAX_CLAIMED && !signal?.aborted);
}
