/** Makes one call to a provider as a test. It is admitted and recorded in the ledger, as every call. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { CallBody } from '../calls/call-body.ts';
import type { CallOutput } from '../calls/call-output.ts';
import { type CallDeps, createCalls } from '../calls/call.service.ts';
import { type CallOperation, UpstreamError } from '../calls/upstream.ts';
import type { Target } from '../catalog/model-catalog.ts';

const MAX_TIMEOUT_MS = 30_000;
export const MAX_RESPONSE_BYTES = 1024 * 1024;

export interface TestResponse {
  status: number;
  body: Buffer;
  /** Why the response is an error, if it is not in OpenAI's shape. */
  detail?: string;
}

/**
 * Makes a call and reads its response.
 * @throws UpstreamError if there is no complete response; Problem if the call is not admitted
 */
export type TestCall = (
  actor: WorkspaceActor,
  target: Target,
  operation: CallOperation,
  body: CallBody,
) => Promise<TestResponse>;

/** Collects a response of limited size in memory. */
function createCollector() {
  const parts: Uint8Array[] = [];
  const stopped = new AbortController();
  let size = 0;
  let status = 0;
  const output: CallOutput = {
    signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(MAX_TIMEOUT_MS)]),
    async open(given) {
      status = given;
    },
    async write(chunk) {
      size += chunk.length;
      if (size <= MAX_RESPONSE_BYTES) parts.push(Buffer.from(chunk));
      else
        stopped.abort(new UpstreamError('broken', 'The response to a short question is larger than 1 MiB.'));
      return !stopped.signal.aborted;
    },
    end() {},
    cut() {
      stopped.abort(new UpstreamError('broken', 'The response is incomplete.'));
    },
  };
  return {
    output,
    read(): { status: number; body: Buffer } {
      const { aborted, reason } = output.signal;
      if (aborted)
        throw reason instanceof UpstreamError
          ? reason
          : new UpstreamError('timeout', `The response was not complete within ${MAX_TIMEOUT_MS / 1000} s.`);
      return { status, body: Buffer.concat(parts) };
    },
  };
}

export const createTestCall =
  (deps: Omit<CallDeps, 'catalog'>): TestCall =>
  async (actor, target, operation, body) => {
    const reported: { failure: UpstreamError | null } = { failure: null };
    const calls = createCalls({
      ...deps,
      catalog: {
        list: async () => [],
        resolve: async () => ({ route: null, targets: [target] }),
        report(_workspaceId, _target, failure) {
          if (failure instanceof UpstreamError) reported.failure = failure;
        },
      },
    });
    const { output, read } = createCollector();
    try {
      await calls.run({ actor, operation, body, query: '', traceparent: null, isTest: true }, output);
    } catch (error) {
      if (reported.failure) throw reported.failure;
      if (output.signal.aborted) read();
      if (error instanceof Problem && error.code === 'rate_limited')
        throw new UpstreamError('timeout', error.message, { cause: error });
      if (error instanceof Problem && error.code === 'model_provider_error')
        return { status: error.status, body: Buffer.alloc(0), detail: error.message };
      throw error;
    }
    return read();
  };
