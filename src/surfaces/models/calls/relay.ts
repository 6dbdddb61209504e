/** Passes a response on to the caller: headers that are allowed, then bytes with back-pressure. */
import type { Answer, Rejection } from './attempts.ts';
import type { CallOutput } from '../contract/call-output.ts';
import type { Target } from '../contract/model-catalog.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { readErrorBody } from './provider-error.ts';
import { relayTurns } from './relay-turns.ts';
import { UpstreamError, type CallOperation, type UpstreamResponse } from '../contract/upstream.ts';

/** OpenAI's clients wait and repeat a call by these. */
const RETRY = /^(?:retry-after|retry-after-ms|x-should-retry)$/;
const PASSED = /^(?:content-type|retry-after|retry-after-ms|x-should-retry|x-ratelimit-.*|openai-.*)$/;

/** Headers that name the provider and model of a response. Headers are ASCII: other characters are percent-encoded. */
export const toTargetHeaders = ({ model, providerSlug }: Target): Record<string, string> => ({
  'fairlead-provider': providerSlug,
  'fairlead-model': model.replace(/[^\x20-\x7e]+/g, encodeURIComponent),
});

const toHeaders = ({ headers }: UpstreamResponse, target: Target): Record<string, string | string[]> => ({
  'content-type': 'application/json',
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => PASSED.test(name))),
  ...toTargetHeaders(target),
});

const getSize = (chunks: readonly Uint8Array[]): number =>
  chunks.reduce((size, { length }) => size + length, 0);

/** How a relayed response ended. */
export type RelayEnd = 'complete' | 'empty_stream' | 'stream_error' | 'timeout' | 'broken' | 'canceled';

/** How a response ended that was received to its end. */
function getEnd({ tap, isStream }: Answer): RelayEnd {
  if (tap.hasFailed()) return 'stream_error';
  return isStream && !tap.hasContent() ? 'empty_stream' : 'complete';
}

/** Returns the frame that reports an error within a stream that has begun, as OpenAI's clients read it. */
export const toErrorFrame = (operation: CallOperation, error: Record<string, unknown>): Buffer =>
  Buffer.from(
    operation === 'responses'
      ? `event: error\ndata: ${JSON.stringify({ type: 'error', ...pick(error), error })}\n\n`
      : `data: ${JSON.stringify({ error })}\n\n`,
  );
const pick = ({ code = null, message = null, param = null }: Record<string, unknown>) => ({
  code,
  message,
  param,
});

/**
 * Relays a response. A document's last chunk is sent after `beforeEnd`, so that a caller who has a complete response
 * finds the call recorded; so is the end of a stream.
 * @param onChunk called with each chunk that can be sent
 */
export async function relay(
  answer: Answer,
  target: Target,
  operation: CallOperation,
  output: CallOutput,
  {
    onChunk,
    beforeEnd,
  }: { onChunk: (chunk: Uint8Array) => void; beforeEnd: (end: RelayEnd) => Promise<void> },
): Promise<RelayEnd> {
  const { response, tap, isStream, iterator } = answer;
  const { signal } = output;
  const length = answer.isDone ? getSize(answer.held) : response.headers['content-length'];
  const keepsLength = !isStream && length !== undefined;
  await output.open(response.status, {
    ...toHeaders(response, target),
    ...(keepsLength ? { 'content-length': String(length) } : {}),
  });
  const finish = async (end: RelayEnd): Promise<RelayEnd> => {
    await beforeEnd(end);
    return end;
  };

  try {
    /** Part of a document that is sent once the next chunk has arrived. */
    let kept: Uint8Array | null = null;
    /** Most chunks are taken without waiting, which then costs no promise. */
    const pass = (chunk: Uint8Array): boolean | Promise<boolean> => {
      if (chunk.length === 0) return true;
      onChunk(chunk);
      const ready = isStream ? chunk : kept;
      if (!isStream) kept = chunk;
      return ready === null || output.write(ready);
    };
    for (const chunk of answer.held) if (!(await pass(chunk))) return await finish('canceled');
    while (!answer.isDone) {
      const next = await iterator.next();
      const turn = next.done ? null : relayTurns.take(next.value.length);
      if (turn) await turn;
      answer.isDone = next.done === true;
      const passed = pass(next.done ? tap.end() : tap.push(next.value));
      if (!(typeof passed === 'boolean' ? passed : await passed)) return await finish('canceled');
    }
    const end = getEnd(answer);
    await finish(end);
    if (kept && !(await output.write(kept))) return end;
    output.end();
    return end;
  } catch (error) {
    if (signal.aborted) return finish('canceled');
    if (!(error instanceof UpstreamError)) throw error;
    const end: RelayEnd = error.code === 'timeout' ? 'timeout' : 'broken';
    await finish(end);
    const code = end === 'timeout' ? 'model_provider_timeout' : 'model_provider_error';
    if (isStream && tap.isAtBoundary()) {
      const { message } = error;
      await output.write(toErrorFrame(operation, { message, type: 'server_error', param: null, code }));
      output.end();
    } else output.cut();
    return end;
  }
}

/**
 * Relays an error whose body is in OpenAI's shape.
 * @throws Problem with the same status for any other body
 */
export async function relayRejection(
  { response, body }: Rejection,
  target: Target,
  output: CallOutput,
): Promise<void> {
  const { error, message } = readErrorBody(body);
  if (error === null) {
    const { status, headers } = response;
    throw new Problem(
      'model_provider_error',
      `The model provider responded with status ${status}${message === null ? '.' : `: ${message}`}`,
      {
        status,
        headers: {
          ...toTargetHeaders(target),
          ...Object.fromEntries(
            Object.entries(headers).flatMap(([name, value]) =>
              RETRY.test(name) ? [[name, String(value)]] : [],
            ),
          ),
        },
      },
    );
  }
  await output.open(response.status, {
    ...toHeaders(response, target),
    'content-type': 'application/json',
    'content-length': String(body.length),
  });
  if (await output.write(body)) output.end();
}
