/**
 * Tests a model provider: lists its models and makes one small call. Both run before the transaction that records the
 * result. The call is admitted and recorded in the ledger like every call.
 */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { ReadUnit, Unit } from '../../../core/unit/unit-of-work.ts';
import { tryParseForeignJson } from '../../../platform/json/foreign-json.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type CallBody, toCallBody } from '../contract/call-body.ts';
import type { CallMemory } from '../contract/call-memory.ts';
import { type CallOperation, UpstreamError } from '../contract/upstream.ts';
import type { Target } from '../contract/model-catalog.ts';
import { PRESETS } from './provider-kinds.ts';
import { describeFailure } from './provider-request.ts';
import type { CheckModelProviderBody, ModelProviderTestObject, ProviderError } from './provider.schema.ts';
import { buildUnsavedProvider, requireProvider } from './provider.service.ts';
import type * as store from './provider.store.ts';
import { MAX_RESPONSE_BYTES, type TestCall, type TestResponse } from './test-call.ts';
import { applyList, type ReadList, readModelList, type RefreshDeps } from './refresh.ts';

const MAX_DETAIL = 300;
const EMBEDS = /embed|bge-|e5-|gte-/i;
const NOT_CHAT = /embed|whisper|tts|dall-e|image|moderation|rerank|audio|realtime|sora|transcribe/i;

export interface ProviderTestDeps extends RefreshDeps {
  targetOf(provider: store.ProviderRow, listed: store.ListedModelRow | undefined, model: string): Target;
  testCall: TestCall;
  memory: CallMemory;
}

type CallResult = NonNullable<ModelProviderTestObject['call']>;

export interface ProviderTestResult {
  list: ReadList;
  call: CallResult | null;
}

const isEmbeddingModel = ({ id, capabilities }: store.ListedModelRow): boolean =>
  capabilities.includes('embeddings') || EMBEDS.test(id);

/** Chooses the model to call: the first that looks like a chat model, among those that the workspace uses. */
function chooseModel(row: store.ProviderRow, listed: readonly store.ListedModelRow[]): string | null {
  const used = row.models?.map(({ id }) => id) ?? listed.map(({ id }) => id);
  const byId = new Map(listed.map((model) => [model.id, model]));
  const isChat = (id: string) => !NOT_CHAT.test(id) && !byId.get(id)?.capabilities.includes('embeddings');
  return used.find(isChat) ?? used[0] ?? null;
}

function toRequest(model: string, embeds: boolean): { operation: CallOperation; body: CallBody } {
  const operation = embeds ? 'embeddings' : 'chat/completions';
  const asked = embeds ? { input: 'Hello' } : { messages: [{ role: 'user', content: 'Say OK.' }] };
  return { operation, body: toCallBody(operation, { model, ...asked }) };
}

/** Returns the message of an error in OpenAI's shape, shortened; null if there is none. */
function getMessage(body: Buffer): string | null {
  const { error } = (tryParseForeignJson(body) ?? {}) as { error?: string | { message?: unknown } };
  const message = typeof error === 'object' ? error?.message : error;
  return typeof message === 'string' ? message.slice(0, MAX_DETAIL) : null;
}

/** Removes credentials that a provider may have repeated in its response. */
const withoutSecrets = (text: string): string => text.replace(/[\w*.-]{16,}/g, '…');

function toError({ status, body, detail: given }: TestResponse): ProviderError | null {
  if (status < 400) return null;
  const known = describeFailure({ status });
  const message = getMessage(body);
  if (known?.code === 'unauthorized') return known;
  if (given !== undefined) return { code: 'error_response', detail: withoutSecrets(given) };
  const detail = `The provider responded with ${status}${message === null ? '.' : `: ${withoutSecrets(message)}`}`;
  return { code: 'error_response', detail };
}

async function callModel(
  deps: ProviderTestDeps,
  actor: WorkspaceActor,
  row: store.ProviderRow,
  model: string,
  all: readonly store.ListedModelRow[],
): Promise<CallResult> {
  const listed = all.find(({ id }) => id === model);
  const embeds =
    listed !== undefined && isEmbeddingModel(listed) && PRESETS[row.kind].operations.includes('embeddings');
  const target = deps.targetOf(row, listed, model);
  const { operation, body } = toRequest(target.model, embeds);
  const startedAt = performance.now();
  try {
    const response = await deps.testCall(actor, target, operation, body);
    const latency_ms = Math.round(performance.now() - startedAt);
    const error = toError(response);
    return { ok: error === null, model, latency_ms, error };
  } catch (failure) {
    if (!(failure instanceof UpstreamError)) throw failure;
    return { ok: false, model, latency_ms: null, error: describeFailure(failure) };
  }
}

/**
 * Lists the models, and calls one. A test waits for the provider as a call does, and counts as one in progress.
 * @param model the provider's name of it; null for its first chat model
 */
async function runTest(
  deps: ProviderTestDeps,
  actor: WorkspaceActor,
  row: store.ProviderRow,
  model: string | null,
): Promise<ProviderTestResult> {
  const release = await deps.memory.hold(actor.workspaceId, MAX_RESPONSE_BYTES);
  try {
    const list = await readModelList(deps, row);
    const listed = 'models' in list.result ? list.result.models : [];
    const chosen = model ?? chooseModel(row, listed);
    return { list, call: chosen === null ? null : await callModel(deps, actor, row, chosen, listed) };
  } finally {
    release();
  }
}

/**
 * Tests a provider.
 * @param model the provider's name of it; null for its first chat model
 * @throws Problem not_found; rate_limited if the calls in progress use all memory; budget_exceeded, price_unknown, model_not_allowed, unsupported_by_provider if the call is not
 *   admitted
 */
export async function testProvider(
  unit: ReadUnit,
  deps: ProviderTestDeps,
  actor: WorkspaceActor,
  id: string,
  model: string | null,
): Promise<ProviderTestResult> {
  return runTest(deps, actor, await requireProvider(unit, actor.workspaceId, id), model);
}

const present = (id: string | null, { list, call }: ProviderTestResult): ModelProviderTestObject => ({
  object: 'model_provider_test',
  model_provider_id: id && publicId('model_provider', id),
  ok: call?.ok ?? false,
  list: {
    ok: 'models' in list.result,
    latency_ms: list.latencyMs,
    models_count: 'models' in list.result ? list.result.models.length : null,
    error: 'error' in list.result ? list.result.error : null,
  },
  call,
});

/**
 * Tests a provider that is not saved. Its call is recorded without a provider.
 * @throws Problem invalid_request; as `testProvider` if the call is not admitted
 */
export async function checkProvider(
  unit: ReadUnit,
  deps: ProviderTestDeps,
  actor: WorkspaceActor,
  { model = null, ...body }: CheckModelProviderBody,
): Promise<ModelProviderTestObject> {
  const row = buildUnsavedProvider(unit, deps.secrets, actor, body);
  const unsaved: ProviderTestDeps = {
    ...deps,
    targetOf: (...of) => ({ ...deps.targetOf(...of), providerId: null }),
  };
  return present(null, await runTest(unsaved, actor, row, model));
}

/** Records the result of a test, and presents it. @throws Problem not_found */
export async function applyTest(
  unit: Unit,
  workspaceId: string,
  id: string,
  { list, call }: ProviderTestResult,
): Promise<ModelProviderTestObject> {
  const { result } = list;
  const worksWithoutList = 'error' in result && call?.ok === true;
  if (!worksWithoutList) await applyList(unit, workspaceId, id, list, call?.error ?? null);
  return present(id, { list, call });
}
