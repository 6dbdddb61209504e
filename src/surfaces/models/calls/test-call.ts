/** Makes one call to a provider as a test. It is admitted and recorded in the ledger like every call. */
import { Problem } from '../../../platform/http/problem.ts';
import type { CallOutput } from '../contract/call-output.ts';
import { UpstreamError } from '../contract/upstream.ts';
import { MAX_RESPONSE_BYTES, type TestCall } from '../providers/test-call.ts';
import { type CallDeps, createCalls } from './call.service.ts';

const MAX_TIMEOUT_MS = 30_000;

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
