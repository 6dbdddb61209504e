/**
 * `fairlead/echo`: responds with the last user message, so that a first call works on a new installation without
 * third-party keys. It supports all operations, tools and JSON schemas.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { openAiError } from '../../../platform/http/openai-errors.ts';
import { Problem } from '../../../platform/http/problem.ts';
import {
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../contract/upstream.ts';
import { toCompletion, toCompletionStream } from './echo-chat.ts';
import { toEmbeddings } from './echo-embeddings.ts';
import { createHolding, type EchoStream, readBody } from './echo-limits.ts';
import { toModelResponse, toResponseStream } from './echo-responses.ts';

export const ECHO_MODEL = 'fairlead/echo';

/** Delay between chunks, so that a stream is visible as with a real model. */
const PACE_MS = 5;

const aborted = (): UpstreamError => new UpstreamError('aborted', 'The call was canceled.');

async function* paced(frames: Iterable<string>, paceMs: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (const frame of frames) {
    if (signal.aborted) throw aborted();
    yield Buffer.from(frame);
    if (paceMs)
      await delay(paceMs, undefined, { signal }).catch(() => {
        throw aborted();
      });
  }
}

/** Others get their turn between two pieces. */
async function* inTurns(pieces: Iterable<string>, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    if (signal.aborted) throw aborted();
    yield Buffer.from(piece);
    await nextTurn();
  }
}

const toStream = (body: AsyncIterable<Uint8Array>): UpstreamResponse => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  body,
});

const toDocument = (
  pieces: Iterable<string>,
  signal: AbortSignal,
  { status = 200, headers = {} }: Partial<Pick<UpstreamResponse, 'status' | 'headers'>> = {},
): UpstreamResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: inTurns(pieces, signal),
});

/** @param options.paceMs milliseconds between chunks of a stream */
export function createEcho({ paceMs = PACE_MS, clock = () => new Date() } = {}): Upstream {
  const holding = createHolding();

  /** @throws Problem if the call exceeds a limit */
  const respond = ({ operation, body: bytes, stream, signal }: UpstreamRequest): UpstreamResponse => {
    const body = readBody(bytes);
    const head = {
      id: randomBytes(12).toString('hex'),
      created: Math.floor(clock().getTime() / 1000),
      model: ECHO_MODEL,
    };
    if (operation === 'embeddings') return toDocument(toEmbeddings(body, head), signal);
    const isChat = operation === 'chat/completions';
    if (!stream) return toDocument([isChat ? toCompletion(body, head) : toModelResponse(body, head)], signal);
    const { heldCharacters, frames }: EchoStream = isChat
      ? toCompletionStream(body, head)
      : toResponseStream(body, head);
    holding.hold(heldCharacters, signal);
    return toStream(paced(frames, paceMs, signal));
  };

  return {
    async send(request) {
      const { signal } = request;
      if (signal.aborted) throw aborted();
      try {
        return respond(request);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        // As a provider responds.
        const { status, headers } = error;
        return toDocument([JSON.stringify(openAiError(error))], signal, { status, headers });
      }
    },
  };
}
