/**
 * A model provider in this process with the whole shapes of OpenAI's API. The name of the model says what it does, so that
 * a client gets the same with and without Fairlead. IDs and times are constant.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import * as chat from './chat-shapes.ts';
import * as responses from './response-shapes.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any request
export type RequestBody = any;

export interface ProviderCall {
  path: string;
  body: RequestBody;
  /** Whether its connection was closed before the response was complete. */
  isAborted: boolean;
}

export interface ClientProvider extends AsyncDisposable {
  /** Base URL of its API. */
  url: string;
  /** Calls since the test emptied it. */
  calls: ProviderCall[];
}

type Headers = Record<string, string>;
interface ApiError {
  status: number;
  type: string;
  code: string | null;
  param?: string | null;
  headers?: Headers;
}

/** Lets clients repeat the call after a millisecond. */
const SOON: Headers = { 'retry-after-ms': '1', 'retry-after': '1' };
const invalid = 'invalid_request_error';
/** Rejections, by the name of the model. */
export const REJECTIONS: Record<string, ApiError> = {
  'bad-request': { status: 400, type: invalid, code: 'invalid_value', param: 'temperature' },
  unauthorized: { status: 401, type: invalid, code: 'invalid_api_key' },
  unpaid: { status: 402, type: 'insufficient_credits', code: 'insufficient_credits' },
  forbidden: { status: 403, type: invalid, code: 'unsupported_country_region_territory' },
  missing: { status: 404, type: invalid, code: 'model_not_found', param: 'model' },
  conflict: { status: 409, type: 'conflict', code: null, headers: SOON },
  'too-large': { status: 413, type: invalid, code: 'request_too_large' },
  unprocessable: { status: 422, type: invalid, code: 'unprocessable' },
  busy: { status: 429, type: 'requests', code: 'rate_limit_exceeded', headers: SOON },
  'no-quota': {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    headers: { 'x-should-retry': 'false' },
  },
  broken: { status: 500, type: 'server_error', code: null, headers: SOON },
  overloaded: { status: 503, type: 'overloaded', code: 'overloaded', headers: SOON },
  final: { status: 500, type: 'server_error', code: null, headers: { 'x-should-retry': 'false' } },
  repeatable: {
    status: 400,
    type: invalid,
    code: 'try_again',
    headers: { ...SOON, 'x-should-retry': 'true' },
  },
};
/** Those that say when to repeat the call. A library that reads nothing else repeats them without a wait. */
export const SOON_REJECTIONS = Object.keys(REJECTIONS).filter((name) => REJECTIONS[name]!.headers === SOON);
/** Rejections of the first call only. */
const ONCE = /-once$/;

/** Headers of OpenAI's API that clients read. */
const HEADERS: Headers = {
  'openai-processing-ms': '12',
  'openai-version': '2020-10-01',
  'x-ratelimit-limit-requests': '500',
  'x-ratelimit-remaining-requests': '499',
  'x-ratelimit-reset-requests': '120ms',
  'x-request-id': 'req_provider',
};

const MODEL_NAMES = [
  'plain',
  'reasoning',
  'refusal',
  'length',
  'filtered',
  'comments',
  'hangs',
  'endless',
  'empty',
  'error-first',
  'error-later',
  'failed',
  'incomplete',
  'cut',
  'page',
  'text',
  'error-200',
  ...Object.keys(REJECTIONS).flatMap((name) => [name, `${name}-once`]),
];

const sendJson = (response: ServerResponse, status: number, body: unknown, headers: Headers = {}): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...HEADERS, ...headers })
    .end(JSON.stringify(body));

const toErrorBody = ({ status, type, code, param = null }: ApiError): object => ({
  error: { message: `The provider says ${status}: “no”.`, type, param, code },
});

function embed(body: RequestBody): object {
  const inputs: unknown[] =
    typeof body.input === 'string' || typeof body.input[0] === 'number' ? [body.input] : body.input;
  const vector = [0.25, -0.5, 0.125].slice(0, body.dimensions);
  const base64 = Buffer.from(Float32Array.from(vector).buffer).toString('base64');
  return {
    object: 'list',
    data: inputs.map((_, index) => ({
      object: 'embedding',
      index,
      embedding: body.encoding_format === 'base64' ? base64 : vector,
    })),
    model: body.model,
    usage: { prompt_tokens: 6, total_tokens: 6 },
  };
}

/** Frames of a stream before it fails, or that a stream without an end lacks. */
const CUT_FRAMES = 3;

async function respond(call: ProviderCall, nth: number, response: ServerResponse): Promise<void> {
  const { path, body } = call;
  const name: string = body.model;
  const rejection = REJECTIONS[name.replace(ONCE, '')];
  if (rejection && (nth === 0 || !ONCE.test(name)))
    return sendJson(response, rejection.status, toErrorBody(rejection), rejection.headers);
  if (name === 'page')
    return void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  if (name === 'text')
    return void response.writeHead(503, { 'content-type': 'text/plain' }).end('no healthy upstream');
  if (name === 'hangs') return;
  if (path === '/embeddings') return sendJson(response, 200, embed(body));
  const shapes = path === '/responses' ? responses : chat;
  if (name === 'error-200') return sendJson(response, 200, toErrorBody(REJECTIONS['overloaded']!));
  if (!body.stream) return sendJson(response, 200, shapes.getDocument(body));

  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...HEADERS });
  const error = shapes.getErrorFrame({ ...REJECTIONS['broken'], message: 'It broke.', param: null });
  const frames = name === 'empty' ? [] : shapes.getFrames(body);
  if (name === 'error-first') return void response.end(error);
  if (name === 'error-later') return void response.end([...frames.slice(0, CUT_FRAMES), error].join(''));
  if (name === 'comments')
    return void response.end(frames.map((frame) => `: keep-alive\n\n${frame}`).join(''));
  if (name === 'cut') {
    response.write(frames.slice(0, CUT_FRAMES).join(''));
    await delay(20);
    return void response.destroy();
  }
  if (name === 'endless') return void response.write(frames.slice(0, -CUT_FRAMES).join(''));
  response.end(frames.join(''));
}

export async function startClientProvider(): Promise<ClientProvider> {
  const calls: ProviderCall[] = [];
  const listed = MODEL_NAMES.map((id) => ({
    id,
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'library',
  }));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').replace(/^\/v1/, '');
    if (path === '/models') return sendJson(response, 200, { object: 'list', data: listed });
    const one = listed.find(({ id }) => path === `/models/${id}`);
    if (one) return sendJson(response, 200, one);
    const call: ProviderCall = { path, body: JSON.parse(await text(request)), isAborted: false };
    const nth = calls.push(call) - 1;
    response.once('close', () => (call.isAborted = !response.writableFinished));
    await respond(call, nth, response);
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
