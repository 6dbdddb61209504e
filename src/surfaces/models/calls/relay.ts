/** Passes a response on to the caller: headers that are allowed, then bytes with back-pressure. */
import type { Answer, Rejection } from './attempts.ts';
import type { CallOutput } from './call-output.ts';
import type { Target } from '../catalog/model-catalog.ts';
import { tryParseForeignJson } from '../../../platform/json/foreign-json.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { relayTurns } from './relay-turns.ts';
import { UpstreamError, type CallOperation, type UpstreamResponse } from './upstream.ts';

const PASSED = /^(?:content-type|retry-after|x-ratelimit-.*|openai-.*)$/;

/** Headers that name the provider and model of a response. */
export const toTargetHeaders = ({ model, providerSlug }: Target): Record<string, string> => ({
  'fairlead-provider': providerSlug,
  'fairlead-model': model,
});

const toHeaders = ({ headers }: UpstreamResponse, target: Target): Record<string, string | string[]> => ({
  'content-type': 'application/json',
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => PASSED.test(name))),
  ...toTargetHeaders(target),
});

/** How a relayed response ended. */
export type RelayEnd = 'complete' | 'empty_stream' | 'stream_error' | 'timeout' | 'broken' | 'canceled';

/** How a response ended that was received to its end. */
function getEnd({ tap, isStream }: Answer): RelayEnd {
  if (tap.hasFailed()) return 'stream_error';
  return isStream && !tap.hasContent() ? 'empty_stream' : 'complete';
}

/** Reports an error within a stream that has begun, as OpenAI's clients read it. */
function toErrorFrame(
  operation: CallOperation,
  { code, message }: { code: string; message: string },
): Buffer {
  const error = { message, type: 'server_error', param: null, code };
  return Buffer.from(
    operation === 'responses'
      ? `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param: null, error })}\n\n`
      : `data: ${JSON.stringify({ error })}\n\n`,
  );
}

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
  const length = response.headers['content-length'];
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
    /** Of a document: what is sent once the next chunk is there. */
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
      await output.write(toErrorFrame(operation, { code, message: error.message }));
      output.end();
    } else output.cut();
    return end;
  }
}

const MAX_DETAIL = 500;

/** Finds the message in an error that is not in OpenAI's shape. */
function findMessage(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object' || depth > 3) return null;
  if (Array.isArray(value)) return findMessage(value[0], depth + 1);
  const { message, error, detail } = value as { message?: unknown; error?: unknown; detail?: unknown };
  return findMessage(error ?? message ?? detail, depth + 1);
}

/** Null for anything else, such as the HTML page of a proxy. */
const parse = (body: Buffer): unknown => tryParseForeignJson(body) ?? null;

/**
 * Relays an error whose body is in OpenAI's shape.
 * @throws Problem with the same status for any other body
 */
export async function relayRejection(
  { response, body }: Rejection,
  target: Target,
  output: CallOutput,
): Promise<void> {
  const value = parse(body);
  const error =
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as { error?: unknown }).error
      : null;
  if (error === null || typeof error !== 'object') {
    const message = findMessage(value)?.slice(0, MAX_DETAIL);
    const { status, headers } = response;
    throw new Problem(
      'model_provider_error',
      `The model provider responded with status ${status}${message ? `: ${message}` : '.'}`,
      {
        status,
        headers: {
          ...toTargetHeaders(target),
          ...(headers['retry-after'] === undefined ? {} : { 'retry-after': String(headers['retry-after']) }),
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
