/** Programs by others that call models, unchanged: OpenAI's client, Vercel's AI SDK, LangChain. */
import OpenAI from 'openai';
import type { JSONSchema } from 'openai/lib/jsonschema';
import { importTool } from './model-tools.ts';

/** A tool that each caller offers to the model. Its only argument is one of two values, so that any model can call it. */
const CITIES = ['Rome', 'Oslo'];
const CITY_SCHEMA: JSONSchema = {
  type: 'object',
  properties: { city: { enum: CITIES } },
  required: ['city'],
  additionalProperties: false,
};
const TOOL = { name: 'get_weather', description: 'Returns the weather of a city.' };
const OBJECT_SCHEMA = {
  type: 'object',
  properties: { ok: { type: 'boolean' }, color: { enum: ['red', 'green'] } },
  required: ['ok', 'color'],
  additionalProperties: false,
} as const;

export interface Answered {
  text: string;
  tokens: { input: number; output: number } | null;
}
export interface Weather {
  city: string;
  /** What the model said after the tool had returned; null if the caller only gets the call. */
  said: string | null;
}
export interface Found {
  ok: boolean;
  color: string;
}

export interface Caller {
  text(prompt: string): Promise<Answered>;
  stream(prompt: string): Promise<Answered>;
  tool(prompt: string): Promise<Weather>;
  object(prompt: string): Promise<Found>;
  /** Length of the vector. */
  embed(text: string): Promise<number>;
  /** Leaves a stream after its first piece of text. */
  leaveStream(prompt: string): Promise<void>;
  /** Aborts a call that is not streamed after some milliseconds. */
  leaveCall(prompt: string, afterMs: number): Promise<void>;
}

export interface CallerOptions {
  /** Ends with /v1. */
  url: string;
  apiKey: string;
  model: string;
  headers?: Record<string, string>;
}

const MAX_TOKENS = 40;
/** Of a call that is to be aborted: many tokens, and a field that OpenAI doesn't have. */
const ENDLESS_TOKENS = 7_000;
const ENDLESS = { ignore_eos: true };
const MAX_TOKENS_OF_OBJECTS = 200;

const isAbort = (error: unknown): boolean => /abort/i.test(`${String(error)} ${(error as Error).name}`);
/** Waits for a call that is expected to be aborted. @throws Error if it wasn't */
async function aborted(call: PromiseLike<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (isAbort(error)) return;
    throw error;
  }
  throw new Error('the call was not aborted');
}

function openaiCaller({ url, apiKey, model, headers }: CallerOptions): Caller {
  const client = new OpenAI({ apiKey, baseURL: url, maxRetries: 0, defaultHeaders: headers });
  const getMessages = (content: string) => [{ role: 'user' as const, content }];
  const toTokens = (usage: OpenAI.CompletionUsage | null | undefined): Answered['tokens'] =>
    usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : null;
  return {
    async text(prompt) {
      const { choices, usage } = await client.chat.completions.create({
        model,
        messages: getMessages(prompt),
        max_tokens: MAX_TOKENS,
      });
      return { text: choices[0]!.message.content ?? '', tokens: toTokens(usage) };
    },
    async stream(prompt) {
      const stream = await client.chat.completions.create({
        model,
        messages: getMessages(prompt),
        max_tokens: MAX_TOKENS,
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = '';
      let tokens: Answered['tokens'] = null;
      for await (const { choices, usage } of stream) {
        text += choices[0]?.delta?.content ?? '';
        tokens = toTokens(usage) ?? tokens;
      }
      return { text, tokens };
    },
    async tool(prompt) {
      const runner = client.chat.completions.runTools({
        model,
        messages: getMessages(prompt),
        tools: [
          {
            type: 'function',
            function: {
              ...TOOL,
              parameters: CITY_SCHEMA,
              parse: (text: string) => JSON.parse(text) as { city: string },
              function: ({ city }: { city: string }) => `${city}: sun`,
            },
          },
        ],
      });
      const call = await runner.finalFunctionToolCall();
      const { city } = JSON.parse(call?.arguments ?? '{}') as { city: string };
      return { city, said: await runner.finalContent() };
    },
    async object(prompt) {
      const { choices } = await client.chat.completions.create({
        model,
        messages: getMessages(prompt),
        response_format: { type: 'json_schema', json_schema: { name: 'found', schema: OBJECT_SCHEMA } },
      });
      return JSON.parse(choices[0]!.message.content ?? '') as Found;
    },
    embed: async (text) =>
      (await client.embeddings.create({ model, input: text, encoding_format: 'float' })).data[0]!.embedding
        .length,
    async leaveStream(prompt) {
      const stream = await client.chat.completions.create({
        model,
        messages: getMessages(prompt),
        max_tokens: ENDLESS_TOKENS,
        ...ENDLESS,
        stream: true,
      });
      for await (const { choices } of stream) if (choices[0]?.delta?.content) break;
    },
    leaveCall: (prompt, afterMs) =>
      aborted(
        client.chat.completions.create(
          { model, messages: getMessages(prompt), max_tokens: ENDLESS_TOKENS, ...ENDLESS },
          { signal: AbortSignal.timeout(afterMs) },
        ),
      ),
  };
}

/** What the tests use of `ai` and `@ai-sdk/openai-compatible`. */
interface AiUsage {
  inputTokens?: number;
  outputTokens?: number;
}
interface AiResult {
  text: string;
  usage: AiUsage;
  output: Found;
  steps: { toolResults: { input: { city: string } }[] }[];
}
interface Ai {
  generateText(options: object): Promise<AiResult>;
  streamText(options: object): { textStream: AsyncIterable<string>; usage: PromiseLike<AiUsage> };
  embed(options: object): Promise<{ embedding: number[] }>;
  tool(options: object): unknown;
  jsonSchema(schema: object): unknown;
  isStepCount(count: number): unknown;
  Output: { object(options: object): unknown };
}
type AiProvider = ((model: string) => unknown) & { embeddingModel(model: string): unknown };
interface AiCompatible {
  createOpenAICompatible(options: object): AiProvider;
}

async function aiCaller({ url, apiKey, model: name, headers }: CallerOptions): Promise<Caller> {
  const ai = await importTool<Ai>('ai', 'dist/index.js');
  const { createOpenAICompatible } = await importTool<AiCompatible>(
    '@ai-sdk/openai-compatible',
    'dist/index.js',
  );
  const provider = createOpenAICompatible({
    name: 'test',
    baseURL: url,
    apiKey,
    headers,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
  const model = provider(name);
  const common = { model, maxRetries: 0, maxOutputTokens: MAX_TOKENS };
  const endless = { ...common, maxOutputTokens: ENDLESS_TOKENS, providerOptions: { test: ENDLESS } };
  const toTokens = ({ inputTokens, outputTokens }: AiUsage): Answered['tokens'] =>
    inputTokens === undefined ? null : { input: inputTokens, output: outputTokens ?? 0 };
  const weather = ai.tool({
    description: TOOL.description,
    inputSchema: ai.jsonSchema(CITY_SCHEMA),
    execute: async ({ city }: { city: string }) => `${city}: sun`,
  });
  return {
    async text(prompt) {
      const { text, usage } = await ai.generateText({ ...common, prompt });
      return { text, tokens: toTokens(usage) };
    },
    async stream(prompt) {
      const { textStream, usage } = ai.streamText({ ...common, prompt });
      let text = '';
      for await (const piece of textStream) text += piece;
      return { text, tokens: toTokens(await usage) };
    },
    async tool(prompt) {
      const tools = { [TOOL.name]: weather };
      const stopWhen = ai.isStepCount(2);
      const { steps, text } = await ai.generateText({ ...common, prompt, tools, stopWhen });
      return { city: steps[0]!.toolResults[0]!.input.city, said: text };
    },
    async object(prompt) {
      const output = ai.Output.object({ schema: ai.jsonSchema(OBJECT_SCHEMA) });
      return (await ai.generateText({ ...common, maxOutputTokens: MAX_TOKENS_OF_OBJECTS, prompt, output }))
        .output;
    },
    embed: async (value) =>
      (await ai.embed({ model: provider.embeddingModel(name), value, maxRetries: 0 })).embedding.length,
    async leaveStream(prompt) {
      const abort = new AbortController();
      const { textStream } = ai.streamText({
        ...endless,
        prompt,
        abortSignal: abort.signal,
        onError() {},
      });
      for await (const _piece of textStream) break;
      abort.abort();
    },
    leaveCall: (prompt, afterMs) =>
      aborted(ai.generateText({ ...endless, prompt, abortSignal: AbortSignal.timeout(afterMs) })),
  };
}

/** What the tests use of `@langchain/openai`. */
interface LangChainMessage {
  content: string;
  usage_metadata?: { input_tokens: number; output_tokens: number };
  tool_calls: { args: { city: string } }[];
}
interface LangChainModel {
  invoke(input: unknown, options?: object): Promise<LangChainMessage>;
  stream(input: unknown, options?: object): Promise<AsyncIterable<LangChainMessage>>;
  bindTools(tools: object[]): LangChainModel;
  withStructuredOutput(schema: object, options: object): { invoke(input: unknown): Promise<Found> };
}
interface LangChain {
  ChatOpenAI: new (options: object) => LangChainModel;
  OpenAIEmbeddings: new (options: object) => { embedQuery(text: string): Promise<number[]> };
}

async function langChainCaller({ url, apiKey, model, headers }: CallerOptions): Promise<Caller> {
  const { ChatOpenAI, OpenAIEmbeddings } = await importTool<LangChain>('@langchain/openai', 'dist/index.js');
  const configuration = { baseURL: url, defaultHeaders: headers };
  const common = { model, apiKey, configuration, maxRetries: 0 };
  const chat = new ChatOpenAI({ ...common, maxTokens: MAX_TOKENS });
  const endless = new ChatOpenAI({ ...common, maxTokens: ENDLESS_TOKENS, modelKwargs: ENDLESS });
  const toTokens = ({ usage_metadata: usage }: LangChainMessage): Answered['tokens'] =>
    usage ? { input: usage.input_tokens, output: usage.output_tokens } : null;
  return {
    async text(prompt) {
      const message = await chat.invoke(prompt);
      return { text: message.content, tokens: toTokens(message) };
    },
    async stream(prompt) {
      let text = '';
      let tokens: Answered['tokens'] = null;
      for await (const chunk of await chat.stream(prompt)) {
        text += chunk.content;
        tokens = toTokens(chunk) ?? tokens;
      }
      return { text, tokens };
    },
    async tool(prompt) {
      const tools = [{ type: 'function', function: { ...TOOL, parameters: CITY_SCHEMA } }];
      const { tool_calls: calls } = await chat.bindTools(tools).invoke(prompt);
      return { city: calls[0]!.args.city, said: null };
    },
    object: (prompt) =>
      new ChatOpenAI(common)
        .withStructuredOutput(OBJECT_SCHEMA, { method: 'jsonSchema', name: 'found' })
        .invoke(prompt),
    embed: async (text) =>
      (await new OpenAIEmbeddings({ ...common, encodingFormat: 'float' }).embedQuery(text)).length,
    async leaveStream(prompt) {
      const abort = new AbortController();
      const stream = await endless.stream(prompt, { signal: abort.signal });
      for await (const { content } of stream) if (content) break;
      abort.abort();
    },
    leaveCall: (prompt, afterMs) => aborted(endless.invoke(prompt, { signal: AbortSignal.timeout(afterMs) })),
  };
}

/** Package → how to make a caller of it. */
export const CALLERS: Record<string, (options: CallerOptions) => Caller | Promise<Caller>> = {
  openai: openaiCaller,
  ai: aiCaller,
  '@langchain/openai': langChainCaller,
};
