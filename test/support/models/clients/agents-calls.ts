/** Calls of OpenAI's `@openai/agents`. */
import { OBJECT_SCHEMA, PROMPT, WEATHER_TOOL } from './client-inputs.ts';
import { describeError, type ClientCall, type ClientCalls, type Place, readAll } from './client-outcome.ts';
import { REJECTIONS } from './client-provider.ts';

interface Run {
  finalOutput: unknown;
  history: unknown;
  rawResponses: unknown[];
}
interface Streamed extends AsyncIterable<{ type: string; data?: unknown; name?: string }>, Run {
  completed: Promise<void>;
}
interface Runner {
  run(agent: unknown, input: string, options: { stream: true; signal?: AbortSignal }): Promise<Streamed>;
  run(agent: unknown, input: string, options?: object): Promise<Run>;
}
/** The parts of `@openai/agents` that tests use. */
export interface Agents {
  Agent: new (options: object) => unknown;
  Runner: new (options: object) => Runner;
  OpenAIProvider: new (options: object) => unknown;
  tool(options: object): unknown;
}

const describeRun = ({ finalOutput, history, rawResponses }: Run) => ({ finalOutput, history, rawResponses });

/** @param useResponses whether it calls POST /responses instead of POST /chat/completions */
export function getAgentsCalls(agents: Agents, useResponses: boolean): ClientCalls {
  const connect = ({ url, apiKey }: Place): Runner =>
    new agents.Runner({
      modelProvider: new agents.OpenAIProvider({ apiKey, baseURL: url, useResponses }),
      tracingDisabled: true,
    });
  const weather = agents.tool({
    ...WEATHER_TOOL,
    strict: true,
    execute: async ({ city }: { city: string }) => `${city}: sun`,
  });
  const getAgent = (model: string, more: object): unknown =>
    new agents.Agent({ name: 'Agent', instructions: 'Be brief.', model, ...more });
  const outputType = { type: 'json_schema', name: 'found', strict: true, schema: OBJECT_SCHEMA };
  const run =
    (model: string, more: object = {}, options: () => object = () => ({})): ClientCall =>
    async (place, name) =>
      describeRun(await connect(place).run(getAgent(name(model), more), PROMPT, options()));
  const stream =
    (model: string, more: object = {}): ClientCall =>
    async (place, name) => {
      const result = await connect(place).run(getAgent(name(model), more), PROMPT, { stream: true });
      const { pieces, error } = await readAll(result);
      const completed = await result.completed.then(() => null, describeError);
      return {
        pieces: pieces.map(({ type, data, name: event }) => ({ type, data, event })),
        error,
        completed,
        ...(error ? {} : describeRun(result)),
      };
    };

  return {
    run: run('plain'),
    'run with settings': run('plain', {
      modelSettings: { temperature: 0.2, topP: 1, maxTokens: 50, store: false, parallelToolCalls: true },
    }),
    'run with tools': run('plain', { tools: [weather] }),
    'run with a schema': run('plain', { outputType }),
    'run with reasoning': run('reasoning'),
    'run refused by the model': run('refusal'),
    stream: stream('plain'),
    'stream with tools': stream('plain', { tools: [weather] }),
    'stream with a schema': stream('plain', { outputType }),
    'stream with reasoning': stream('reasoning'),
    'stream with comments': stream('comments'),
    'stream that is empty': stream('empty'),
    'stream with an error first': stream('error-first'),
    'stream with an error later': stream('error-later'),
    'stream that breaks off': stream('cut'),
    'stream that is left': async (place, name) => {
      const abort = new AbortController();
      const agent = getAgent(name('endless'), {});
      const result = await connect(place).run(agent, PROMPT, { stream: true, signal: abort.signal });
      for await (const { data } of result)
        if ((data as { type?: string } | undefined)?.type === 'output_text_delta') {
          abort.abort();
          return data;
        }
      return null;
    },
    'run that is aborted': run('hangs', {}, () => ({ signal: AbortSignal.timeout(150) })),
    ...Object.fromEntries(
      Object.keys(REJECTIONS).flatMap((model) => [
        [`run rejected: ${model}`, run(model)],
        [`stream rejected: ${model}`, stream(model)],
        [`run repeated: ${model}`, run(`${model}-once`)],
      ]),
    ),
    'run with a page as error': run('page'),
    'run with a text as error': run('text'),
    'run with an error in a success': run('error-200'),
  };
}
