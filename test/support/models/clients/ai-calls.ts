/** Calls of Vercel's AI SDK, by the provider package that is given. */
import { CITY_SCHEMA, OBJECT_SCHEMA, PROMPT, WEATHER_TOOL } from './client-inputs.ts';
import {
  describeError,
  describeHeaders,
  type ClientCall,
  type ClientCalls,
  type Place,
  readAll,
} from './client-outcome.ts';
import { REJECTIONS, SOON_REJECTIONS } from './client-provider.ts';

type Json = Record<string, unknown>;
interface Result extends Json {
  response: {
    headers?: Record<string, string>;
    messages: unknown;
    id: unknown;
    modelId: unknown;
    body: unknown;
  };
  output: unknown;
  steps: Result[];
}
/** The parts of `ai` that tests use. */
export interface Ai {
  generateText(options: object): Promise<Result>;
  streamText(options: object): { fullStream: AsyncIterable<Json & { type: string }> };
  embed(options: object): Promise<Json>;
  embedMany(options: object): Promise<Json>;
  tool(options: object): unknown;
  jsonSchema(schema: object): unknown;
  isStepCount(count: number): unknown;
  Output: { object(options: object): unknown };
}

/** Models of a provider package at a place. */
export interface AiModels {
  language(name: string): unknown;
  /** Null if the package offers embeddings elsewhere. */
  embedding: ((name: string) => unknown) | null;
}

const STEP_FIELDS = [
  'text',
  'reasoningText',
  'finishReason',
  'rawFinishReason',
  'usage',
  'toolCalls',
  'toolResults',
  'sources',
  'files',
  'warnings',
  'providerMetadata',
];
const pick = (value: Json, fields: string[]): Json =>
  Object.fromEntries(fields.map((field) => [field, value[field]]));
const toHeaders = (headers: Record<string, string> = {}): object => describeHeaders(Object.entries(headers));
const describeStep = (step: Result): Json => ({
  ...pick(step, STEP_FIELDS),
  response: {
    ...pick(step.response, ['id', 'modelId', 'timestamp', 'body']),
    headers: toHeaders(step.response.headers),
  },
});

const CHANGING = new Set(['request', 'performance']);
/** Leaves out what differs with each call: durations, requests, headers of the connection. */
const describePart = (part: Json): Json =>
  Object.fromEntries(
    Object.entries(part).flatMap(([field, value]) => {
      if (CHANGING.has(field)) return [];
      if (field === 'error') return [[field, describeError(value)]];
      if (field !== 'response') return [[field, value]];
      const { headers, ...response } = value as { headers?: Record<string, string> };
      return [[field, { ...response, headers: toHeaders(headers) }]];
    }),
  );

export function getAiCalls(ai: Ai, connect: (place: Place) => AiModels): ClientCalls {
  const weather = ai.tool({
    description: WEATHER_TOOL.description,
    inputSchema: ai.jsonSchema(CITY_SCHEMA),
    execute: async ({ city }: { city: string }) => `${city}: sun`,
  });
  const tools = { [WEATHER_TOOL.name]: weather };
  const stopWhen = ai.isStepCount(2);
  const object = () => ({ output: ai.Output.object({ schema: ai.jsonSchema(OBJECT_SCHEMA) }) });
  const text =
    (model: string, more: object = {}): ClientCall =>
    async (place, name) => {
      const common = { model: connect(place).language(name(model)), maxRetries: 0, prompt: PROMPT };
      const result = await ai.generateText({ ...common, ...more });
      return {
        steps: result.steps.map(describeStep),
        ...('output' in more ? { output: result.output } : {}),
      };
    };
  const stream =
    (model: string, more: object = {}): ClientCall =>
    async (place, name) => {
      const common = { model: connect(place).language(name(model)), maxRetries: 0, prompt: PROMPT };
      const { pieces, error } = await readAll(ai.streamText({ ...common, onError() {}, ...more }).fullStream);
      return { pieces: pieces.map(describePart), error };
    };
  const hasEmbeddings = connect({ url: 'http://localhost/v1', apiKey: 'x', prefix: '' }).embedding !== null;
  const embed =
    (model: string, more: object = {}): ClientCall =>
    async (place, name) => {
      const common = { model: connect(place).embedding!(name(model)), maxRetries: 0, value: PROMPT };
      return pick(await ai.embed({ ...common, ...more }), [
        'embedding',
        'usage',
        'warnings',
        'providerMetadata',
      ]);
    };

  return {
    text: text('plain'),
    'text with parameters': text('plain', {
      instructions: 'Be brief.',
      maxOutputTokens: 50,
      temperature: 0.2,
      topP: 1,
      seed: 7,
      stopSequences: ['###'],
      presencePenalty: 0,
      frequencyPenalty: 0.1,
    }),
    'text about an image': text('plain', {
      prompt: [
        {
          role: 'user',
          content: [
            { type: 'text', text: PROMPT },
            { type: 'file', data: Buffer.from('iVBORw0KGgo=', 'base64'), mediaType: 'image/png' },
          ],
        },
      ],
    }),
    'text with fields of the provider': text('plain', {
      providerOptions: {
        openai: { user: 'user-1', metadata: { trace: 'a' }, store: false, serviceTier: 'flex' },
        openrouter: { user: 'user-1', usage: { include: true }, reasoning: { effort: 'low' } },
        test: { user: 'user-1', future_parameter: [null] },
      },
    }),
    'text with tools': text('plain', { tools, stopWhen }),
    'text with a schema': text('plain', object()),
    'text with reasoning': text('reasoning'),
    'text refused by the model': text('refusal'),
    'text that is incomplete': text('incomplete'),
    'text cut by its length': text('length'),
    'text filtered': text('filtered'),
    stream: stream('plain'),
    'stream with tools': stream('plain', { tools, stopWhen }),
    'stream with a schema': stream('plain', object()),
    'stream with reasoning': stream('reasoning'),
    'stream with comments': stream('comments'),
    'stream with raw chunks': stream('plain', { include: { rawChunks: true }, includeRawChunks: true }),
    'stream that is empty': stream('empty'),
    'stream with an error first': stream('error-first'),
    'stream with an error later': stream('error-later'),
    'stream that breaks off': stream('cut'),
    'stream that is left': async (place, name) => {
      const abort = new AbortController();
      const { fullStream } = ai.streamText({
        model: connect(place).language(name('endless')),
        prompt: PROMPT,
        abortSignal: abort.signal,
        onError() {},
      });
      for await (const part of fullStream)
        if (part.type === 'text-delta') {
          abort.abort();
          return describePart(part);
        }
      return null;
    },
    'text that is aborted': (place, name) =>
      text('hangs', { abortSignal: AbortSignal.timeout(150) })(place, name),
    'text that times out': text('hangs', { timeout: 150 }),
    ...Object.fromEntries(
      Object.keys(REJECTIONS).flatMap((model) => [
        [`text rejected: ${model}`, text(model)],
        [`stream rejected: ${model}`, stream(model)],
        ...(hasEmbeddings ? [[`embedding rejected: ${model}`, embed(model)]] : []),
      ]),
    ),
    ...Object.fromEntries(
      SOON_REJECTIONS.map((model) => [`text repeated: ${model}`, text(`${model}-once`, { maxRetries: 2 })]),
    ),
    'text repeated twice': text('broken', { maxRetries: 2 }),
    'text with a page as error': text('page'),
    'text with a text as error': text('text'),
    'text with an error in a success': text('error-200'),
    ...(hasEmbeddings
      ? {
          embedding: embed('plain'),
          'embedding repeated': embed('busy-once', { maxRetries: 2 }),
          'embeddings of many': async (place, name) => {
            const model = connect(place).embedding!(name('plain'));
            return pick(await ai.embedMany({ model, values: [PROMPT, 'other'] }), ['embeddings', 'usage']);
          },
        }
      : {}),
  };
}
