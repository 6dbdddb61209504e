/**
 * `fairlead/echo`: responds with the last user message, so that a first call works on a new installation without
 * third-party keys. It supports all operations, tools and JSON schemas.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import type { CallBody } from '../calls/call-body.ts';
import { type Upstream, UpstreamError, type UpstreamResponse } from '../calls/upstream.ts';
import { toCompletion, toCompletionFrames } from './echo-chat.ts';
import { toEmbeddings } from './echo-embeddings.ts';
import { toModelResponse, toResponseFrames } from './echo-responses.ts';

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

async function* whole(document: object): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify(document));
}

const toStream = (body: AsyncIterable<Uint8Array>): UpstreamResponse => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  body,
});

function toDocument(document: object): UpstreamResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: whole(document),
  };
}

/** @param options.paceMs milliseconds between chunks of a stream */
export function createEcho({ paceMs = PACE_MS, clock = () => new Date() } = {}): Upstream {
  return {
    async send({ operation, body: bytes, stream, signal }) {
      if (signal.aborted) throw aborted();
      const body = parseOwnJson<CallBody>(bytes.toString());
      const head = {
        id: randomBytes(12).toString('hex'),
        created: Math.floor(clock().getTime() / 1000),
        model: ECHO_MODEL,
      };
      if (operation === 'embeddings') return toDocument(toEmbeddings(body, head));
      const isChat = operation === 'chat/completions';
      if (!stream) return toDocument(isChat ? toCompletion(body, head) : toModelResponse(body, head));
      const frames = isChat ? toCompletionFrames(body, head) : toResponseFrames(body, head);
      return toStream(paced(frames, paceMs, signal));
    },
  };
}
