/** Calls of LangChain's `@langchain/openai`. */
import { OBJECT_SCHEMA, PROMPT, WEATHER_TOOL } from './client-inputs.ts';
import { type ClientCall, type ClientCalls, type Place, readAll } from './client-outcome.ts';
import { REJECTIONS } from './client-provider.ts';

interface Message {
  toDict(): unknown;
}
interface Model {
  invoke(input: unknown, options?: object): Promise<Message>;
  stream(input: unknown, options?: object): Promise<AsyncIterable<Message>>;
  batch(inputs: unknown[]): Promise<Message[]>;
  bindTools(tools: object[]): Model;
  withStructuredOutput(schema: object, options: object): { invoke(input: unknown): Promise<unknown> };
}
interface Embeddings {
  embedQuery(text: string): Promise<number[]>;
  embedDocuments(texts: string[]): Promise<number[][]>;
}
/** The parts of `@langchain/openai` that tests use. */
export interface LangChain {
  ChatOpenAI: new (options: object) => Model;
  OpenAIEmbeddings: new (options: object) => Embeddings;
}

const tools = [{ type: 'function', function: WEATHER_TOOL }];

/** @param useResponsesApi whether it calls POST /responses instead of POST /chat/completions */
export function getLangChainCalls(
  { ChatOpenAI, OpenAIEmbeddings }: LangChain,
  useResponsesApi: boolean,
): ClientCalls {
  const getOptions = ({ url, apiKey }: Place, model: string, more: object) => ({
    model,
    apiKey,
    configuration: { baseURL: url },
    maxRetries: 0,
    ...more,
  });
  const connect = (place: Place, model: string, more: object = {}): Model =>
    new ChatOpenAI({ ...getOptions(place, model, more), useResponsesApi });
  const invoke =
    (model: string, more: object = {}, options: () => object = () => ({})): ClientCall =>
    (place, name) =>
      connect(place, name(model), more).invoke(PROMPT, { ...options(), runId: RUN_ID });
  const stream =
    (model: string, more: object = {}): ClientCall =>
    async (place, name) =>
      readAll(await connect(place, name(model), more).stream(PROMPT, { runId: RUN_ID }));
  const embed =
    (model: string, more: object = {}): ClientCall =>
    (place, name) =>
      new OpenAIEmbeddings(getOptions(place, name(model), more)).embedQuery(PROMPT);

  return {
    invoke: invoke('plain'),
    'invoke with parameters': invoke('plain', {
      temperature: 0.2,
      maxTokens: 50,
      topP: 1,
      stop: ['###'],
      user: 'user-1',
      logprobs: true,
      modelKwargs: { seed: 7 },
    }),
    'invoke with tools': (place, name) => connect(place, name('plain')).bindTools(tools).invoke(PROMPT),
    'invoke with a schema': (place, name) =>
      connect(place, name('plain'))
        .withStructuredOutput(OBJECT_SCHEMA, { method: 'jsonSchema', name: 'found', includeRaw: true })
        .invoke(PROMPT),
    'invoke with a schema as a tool': (place, name) =>
      connect(place, name('plain'))
        .withStructuredOutput(OBJECT_SCHEMA, { method: 'functionCalling', name: 'get_weather' })
        .invoke(PROMPT),
    'invoke with reasoning': invoke('reasoning'),
    'invoke refused by the model': invoke('refusal'),
    'invoke cut by its length': invoke('length'),
    'invoke that is incomplete': invoke('incomplete'),
    'invoke many': (place, name) => connect(place, name('plain')).batch([PROMPT, 'Hello']),
    stream: stream('plain'),
    'stream without usage': stream('plain', { streamUsage: false }),
    'stream with tools': async (place, name) =>
      readAll(await connect(place, name('plain')).bindTools(tools).stream(PROMPT, { runId: RUN_ID })),
    'stream with reasoning': stream('reasoning'),
    'stream with comments': stream('comments'),
    'stream that is empty': stream('empty'),
    'stream with an error first': stream('error-first'),
    'stream with an error later': stream('error-later'),
    'stream that breaks off': stream('cut'),
    'stream that is left': async (place, name) => {
      const abort = new AbortController();
      const pieces = await connect(place, name('endless')).stream(PROMPT, { signal: abort.signal });
      for await (const piece of pieces) {
        abort.abort();
        return piece;
      }
      return null;
    },
    'invoke that is aborted': invoke('hangs', {}, () => ({ signal: AbortSignal.timeout(150) })),
    'invoke that times out': invoke('hangs', { timeout: 150 }),
    ...Object.fromEntries(
      Object.keys(REJECTIONS).flatMap((model) => [
        [`invoke rejected: ${model}`, invoke(model)],
        [`stream rejected: ${model}`, stream(model)],
        [`embedding rejected: ${model}`, embed(model)],
      ]),
    ),
    'invoke repeated': invoke('busy-once', { maxRetries: 1 }),
    'invoke with a page as error': invoke('page'),
    'invoke with a text as error': invoke('text'),
    'invoke with an error in a success': invoke('error-200'),
    embedding: embed('plain'),
    'embedding, base64': embed('plain', { encodingFormat: 'base64' }),
    'embedding, float, with dimensions': embed('plain', { encodingFormat: 'float', dimensions: 2 }),
    'embeddings of many': (place, name) =>
      new OpenAIEmbeddings(getOptions(place, name('plain'), {})).embedDocuments([PROMPT, 'other']),
  };
}

/** Messages without an ID of the provider get that of the run. */
const RUN_ID = '00000000-0000-4000-8000-000000000001';
