/**
 * OpenAI's API over a real model: `node llama-server.ts <tools folder> <model file> <port>`. Chat completions (streamed or
 * not), tools and JSON schemas by a grammar, embeddings. `GET /state` returns how many calls run, ended and were aborted.
 * Prints "listening" when it is ready.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Engine, loadEngine } from './llama-engine.ts';
import { drained } from '../drained.ts';

export const TINY_MODEL = 'tiny';
const DEFAULT_MAX_TOKENS = 1_000;
/** Without it, each response would be another one. */
const DEFAULT_SEED = 3;

interface Message {
  role: string;
  content: string | { type: string; text?: string }[] | null;
}
interface ChatRequest {
  model: string;
  messages: Message[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  max_tokens?: number;
  max_completion_tokens?: number;
  temperature?: number;
  seed?: number;
  stop?: string | string[];
  /** Not one of OpenAI's fields; vLLM and llama-server have it. */
  ignore_eos?: boolean;
  response_format?: { type: string; json_schema?: { schema: object } };
  tools?: { function: { name: string; parameters: object } }[];
  tool_choice?: string | { function: { name: string } };
}

/** What the server has seen. */
export interface LlamaState {
  running: number;
  completed: number;
  aborted: number;
  /** Tokens that were generated. */
  tokens: number;
}
const state: LlamaState = { running: 0, completed: 0, aborted: 0, tokens: 0 };

const [tools = '', modelFile = '', port = ''] = process.argv.slice(2);
const engine: Engine = await loadEngine(tools, modelFile);

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const sendError = (response: ServerResponse, status: number, message: string, code: string): void =>
  sendJson(response, status, { error: { message, type: 'invalid_request_error', param: null, code } });

const plainText = ({ content }: Message): string =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');

/** The tool to call: any model of this size would choose at random, so it is the first one that is allowed. */
function chooseTool({ tools: offered, tool_choice: choice, messages }: ChatRequest) {
  if (!offered?.length || choice === 'none' || messages.at(-1)?.role === 'tool') return null;
  const name = typeof choice === 'object' ? choice.function.name : null;
  return offered.find((tool) => name === null || tool.function.name === name)?.function ?? null;
}

async function completeChat(request: ChatRequest, response: ServerResponse): Promise<void> {
  if (request.model !== TINY_MODEL)
    return sendError(response, 404, `The model '${request.model}' does not exist`, 'model_not_found');
  const id = `chatcmpl-${randomUUID()}`;
  const created = Math.floor(Date.now() / 1000);
  const prompt = request.messages.map((message) => `${message.role}: ${plainText(message)}\n`).join('');
  const tool = chooseTool(request);
  const schema = tool?.parameters ?? request.response_format?.json_schema?.schema ?? null;
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? DEFAULT_MAX_TOKENS;
  const stops = [request.stop ?? []].flat();
  const getUsage = (output: number) => ({
    prompt_tokens: engine.countTokens(prompt),
    completion_tokens: output,
    total_tokens: engine.countTokens(prompt) + output,
  });
  const chunk = async (choices: object[], usage: object | null = null): Promise<void> => {
    const data = { id, object: 'chat.completion.chunk', created, model: TINY_MODEL, choices, usage };
    if (!response.write(`data: ${JSON.stringify(data)}\n\n`) && !response.destroyed) await drained(response);
  };
  const delta = (content: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta: content, finish_reason }]);
  const call = tool && { id: `call_${randomUUID()}`, type: 'function' };

  if (request.stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    await delta({ role: 'assistant', content: call ? null : '' });
    if (call)
      await delta({ tool_calls: [{ index: 0, ...call, function: { name: tool.name, arguments: '' } }] });
  }
  let content = '';
  let output = 0;
  let finish = 'stop';
  const { temperature = 1, seed = DEFAULT_SEED } = request;
  const ignoreEnd = request.ignore_eos ?? false;
  for await (const piece of engine.generate(prompt, { temperature, seed, schema, ignoreEnd })) {
    if (response.destroyed) return;
    output += 1;
    state.tokens += 1;
    const before = content.length;
    content += piece;
    const found = stops.map((stop) => content.indexOf(stop)).filter((at) => at >= 0);
    if (found.length) content = content.slice(0, Math.min(...found));
    const added = content.slice(before);
    if (request.stream && added)
      await delta(call ? { tool_calls: [{ index: 0, function: { arguments: added } }] } : { content: added });
    if (found.length) break;
    if (output >= maxTokens) {
      finish = 'length';
      break;
    }
  }
  if (response.destroyed) return;
  if (call && finish === 'stop') finish = 'tool_calls';
  if (request.stream) {
    await delta({}, finish);
    if (request.stream_options?.include_usage) await chunk([], getUsage(output));
    response.end('data: [DONE]\n\n');
    return;
  }
  const message = call
    ? {
        role: 'assistant',
        content: null,
        tool_calls: [{ ...call, function: { name: tool.name, arguments: content } }],
      }
    : { role: 'assistant', content };
  sendJson(response, 200, {
    id,
    object: 'chat.completion',
    created,
    model: TINY_MODEL,
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage: getUsage(output),
  });
}

async function embed(
  { input, model }: { input: string | string[]; model: string },
  response: ServerResponse,
): Promise<void> {
  const texts = [input].flat();
  const data = [];
  for (const [index, one] of texts.entries())
    data.push({ object: 'embedding', index, embedding: await engine.embed(one) });
  const tokens = texts.reduce((sum, one) => sum + engine.countTokens(one), 0);
  sendJson(response, 200, {
    object: 'list',
    model,
    data,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

const ROUTES: Record<string, (body: never, response: ServerResponse) => Promise<void>> = {
  '/v1/chat/completions': completeChat,
  '/v1/embeddings': embed,
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/state') return sendJson(response, 200, state);
  if (pathname === '/v1/models')
    return sendJson(response, 200, {
      object: 'list',
      data: [{ id: TINY_MODEL, object: 'model', created: 0, owned_by: 'test' }],
    });
  const route = ROUTES[pathname];
  if (!route) return sendError(response, 404, `Unknown URL ${pathname}`, 'unknown_url');
  state.running += 1;
  response.once('close', () => {
    state.running -= 1;
    state[response.writableFinished ? 'completed' : 'aborted'] += 1;
  });
  await route(JSON.parse(await text(request)) as never, response);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: Error) => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else sendError(response, 500, error.message, 'server_error');
  });
});
server.listen(Number(port), '127.0.0.1', () => console.log('listening'));
// The test holds standard input open: where it dies, this ends too.
process.stdin.resume().once('end', () => process.exit());
