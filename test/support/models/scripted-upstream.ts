/**
 * A model provider in this process that behaves as the name of the model says, and records each call. Its shapes are
 * those of OpenAI; `ollama` answers in those of Ollama's OpenAI-compatible API.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { drained } from '../drained.ts';

export interface UpstreamCall {
  path: string;
  /** With its question mark. */
  query: string;
  headers: IncomingMessage['headers'];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any request
  body: any;
  /** Monotonic milliseconds. */
  startedAt: number;
  /** When its connection was closed before the response was complete; else null. */
  abortedAt: number | null;
  /** Whether the response was sent completely. */
  isCompleted: boolean;
  /** Bytes that `flood` has written. */
  written: number;
}

export interface ScriptedUpstream extends AsyncDisposable {
  /** Base URL of its API. */
  url: string;
  calls: UpstreamCall[];
  /** Called with each call, once its body has arrived. */
  onCall: ((call: UpstreamCall) => void) | null;
  /** Called with each call that is aborted. */
  onAbort: ((call: UpstreamCall) => void) | null;
}

export const USAGE = { input: 7, output: 5 };
const WORDS = ['Hello', ' from', ' the', ' other', ' side'];
export const ANSWER = WORDS.join('');
/** Longer than any test waits. */
const NEVER_MS = 600_000;
const SLOW_MS = 20;
const FLOOD_WORDS = 3_000;
/** So long that the callers of a killed server wait for an answer. */
export const LATE_MS = 200;

interface Answer {
  call: UpstreamCall;
  response: ServerResponse;
}
type Behavior = (answer: Answer) => void | Promise<void>;

const sendJson = (response: ServerResponse, status: number, body: object, headers = {}): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));

const errorBody = (message: string, type: string, code: string | null) => ({
  error: { message, type, param: null, code },
});

const usage = {
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
};

function completion(model: string, id = 'chatcmpl-1'): object {
  const message = { role: 'assistant', content: ANSWER };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  return { id, object: 'chat.completion', created: 1, model, choices, usage };
}

const frame = (body: object | string): string =>
  `data: ${typeof body === 'string' ? body : JSON.stringify(body)}\n\n`;

const chunk = (model: string, content: string | null, finish: string | null = null): string =>
  frame({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta: content === null ? {} : { content }, finish_reason: finish }],
  });

const usageChunk = (model: string): string =>
  frame({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [], usage });

const beginStream = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'text/event-stream' });

const answerWell: Behavior = ({ call: { body, path }, response }) => {
  if (path === '/embeddings')
    return sendJson(response, 200, {
      object: 'list',
      model: body.model,
      data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
      usage: { prompt_tokens: USAGE.input, total_tokens: USAGE.input },
    });
  if (!body.stream) return sendJson(response, 200, completion(body.model));
  beginStream(response);
  for (const word of WORDS) response.write(chunk(body.model, word));
  response.write(chunk(body.model, null, 'stop'));
  if (body.stream_options?.include_usage) response.write(usageChunk(body.model));
  response.end(frame('[DONE]'));
};

const neverAnswer = (): Promise<void> => delay(NEVER_MS, undefined, { ref: false });

/** A stream that ends only with its caller, or a response that never comes. */
const answerForever: Behavior = async ({ call: { body }, response }): Promise<void> => {
  if (!body.stream) return neverAnswer();
  beginStream(response);
  while (!response.destroyed) {
    response.write(chunk(body.model, 'word '));
    await delay(SLOW_MS);
  }
};

const busy = errorBody('Rate limit reached', 'requests', 'rate_limit_exceeded');
const brokenDown = errorBody('The server had an error', 'server_error', null);

const BEHAVIORS: Record<string, Behavior> = {
  well: answerWell,
  late: async (answer) => {
    await delay(LATE_MS);
    await answerWell(answer);
  },
  slow: answerForever,
  hangs: neverAnswer,
  busy: ({ response }) => sendJson(response, 429, busy, { 'retry-after': '7' }),
  broken: ({ response }) => sendJson(response, 500, brokenDown),
  page: ({ response }) =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  /** Shows the key, as some providers do. */
  unauthorized: ({ call: { headers }, response }) => {
    const message = `Incorrect API key provided: ${headers.authorization}`;
    sendJson(response, 401, errorBody(message, 'invalid_request_error', 'invalid_api_key'));
  },
  empty: ({ response }) => {
    beginStream(response);
    response.end();
  },
  'only-done': ({ response }) => {
    beginStream(response);
    response.end(frame('[DONE]'));
  },
  'error-first': ({ response }) => {
    beginStream(response);
    response.end(frame(brokenDown));
  },
  'error-later': ({ call: { body }, response }) => {
    beginStream(response);
    response.write(chunk(body.model, WORDS[0]!));
    response.end(frame(brokenDown) + frame('[DONE]'));
  },
  cut: async ({ call: { body }, response }) => {
    beginStream(response);
    response.write(chunk(body.model, WORDS[0]!));
    await delay(SLOW_MS);
    response.destroy();
  },
  stalls: ({ call: { body }, response }) => {
    beginStream(response);
    response.write(chunk(body.model, WORDS[0]!));
    return neverAnswer();
  },
  resets: ({ response }) => void response.destroy(),
  /** A stream that ends only with its caller, as fast as it is read. */
  flood: async ({ call, response }) => {
    beginStream(response);
    const large = Buffer.from(chunk(call.body.model, 'word '.repeat(FLOOD_WORDS)));
    while (!response.destroyed) {
      call.written += large.length;
      if (!response.write(large)) await drained(response);
    }
  },
  /** As Ollama: its own fingerprint, usage in the last chunk only if asked for, an error as a bare string. */
  ollama: ({ call: { body }, response }) => {
    const common = { id: 'chatcmpl-42', created: 1, model: body.model, system_fingerprint: 'fp_ollama' };
    const choice = (content: string, finish_reason: string | null) => [
      { index: 0, delta: { role: 'assistant', content }, finish_reason },
    ];
    if (!body.stream)
      return sendJson(response, 200, {
        ...completion(body.model, common.id),
        system_fingerprint: 'fp_ollama',
      });
    beginStream(response);
    const object = 'chat.completion.chunk';
    for (const word of WORDS) response.write(frame({ ...common, object, choices: choice(word, null) }));
    response.write(frame({ ...common, object, choices: choice('', 'stop') }));
    if (body.stream_options?.include_usage) response.write(frame({ ...common, object, choices: [], usage }));
    response.end(frame('[DONE]'));
  },
};

/** Models that it lists. `refuses` is not one: a provider with a closed port stands for that. */
export const SCRIPTED_MODELS = Object.keys(BEHAVIORS);

export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  const calls: UpstreamCall[] = [];
  const upstream: Pick<ScriptedUpstream, 'onAbort' | 'onCall'> = { onAbort: null, onCall: null };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname.replace(/^\/v1/, '');
    if (path === '/models')
      return sendJson(response, 200, {
        object: 'list',
        data: SCRIPTED_MODELS.map((id) => ({ id, object: 'model', created: 1, owned_by: 'library' })),
      });
    const call: UpstreamCall = {
      path,
      query: search,
      headers: request.headers,
      body: null,
      startedAt: performance.now(),
      abortedAt: null,
      isCompleted: false,
      written: 0,
    };
    calls.push(call);
    response.once('close', () => {
      call.isCompleted = response.writableFinished;
      if (call.isCompleted) return;
      call.abortedAt = performance.now();
      upstream.onAbort?.(call);
    });
    call.body = JSON.parse(await text(request));
    upstream.onCall?.(call);
    const behavior = BEHAVIORS[call.body.model];
    if (behavior) await behavior({ call, response });
    else sendJson(response, 404, errorBody('No such model', 'invalid_request_error', 'model_not_found'));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(upstream, {
    url: `http://127.0.0.1:${port}/v1`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
