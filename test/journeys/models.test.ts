/**
 * Clients that we did not write call models that we did not write through Fairlead: a real model of llama.cpp, directly and
 * behind Portkey's gateway, mock-llm, and a server with the shapes of Ollama. All clients are unchanged.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Caller, CALLERS } from '../support/models/callers.ts';
import {
  HAS_MODEL_TOOLS,
  type Llama,
  MODEL_TOOLS,
  type ModelServer,
  portkeyHeaders,
  startLlama,
  startMockLlm,
  startPortkey,
} from '../support/models/model-tools.ts';
import { type ModelWorld, startModelWorld } from '../support/models/model-world.ts';
import {
  ANSWER,
  type ScriptedUpstream,
  startScriptedUpstream,
  USAGE,
} from '../support/models/scripted-upstream.ts';
import { needs } from '../support/needs.ts';
import { PATIENCE } from '../support/patience.ts';

const PATIENT = { timeout: 240_000 };
const PROMPT = 'Hello';
const LEAVES_AFTER_MS = 200;

/** Calls to one model through Fairlead, and how to reach the same model without it. */
interface Road {
  model: string;
  direct: () => { url: string; model: string; headers?: Record<string, string> };
  /** Whether the model knows tools, objects and embeddings. */
  isWhole: boolean;
}

describe('models of others', needs(MODEL_TOOLS, HAS_MODEL_TOOLS), () => {
  let world: ModelWorld;
  let llama: Llama;
  let portkey: ModelServer;
  let mock: ModelServer;
  let ollama: ScriptedUpstream;
  const stack = new AsyncDisposableStack();

  const ROADS: Record<string, Road> = {
    'a model of llama.cpp': {
      model: 'llama/tiny',
      direct: () => ({ url: llama.url, model: 'tiny' }),
      isWhole: true,
    },
    'the same behind Portkey’s gateway': {
      model: 'portkey/tiny',
      direct: () => ({ url: portkey.url, model: 'tiny', headers: portkeyHeaders(llama.url) }),
      isWhole: true,
    },
    'mock-llm': {
      model: 'mock/gpt-5.2',
      direct: () => ({ url: mock.url, model: 'gpt-5.2' }),
      isWhole: false,
    },
    'a server with Ollama’s shapes': {
      model: 'ollama/ollama',
      direct: () => ({ url: ollama.url, model: 'ollama' }),
      isWhole: false,
    },
  };

  const WHOLE = Object.entries(ROADS).filter(([, { isWhole }]) => isWhole);

  beforeAll(async () => {
    [llama, portkey, mock, ollama] = await Promise.all([
      startLlama(),
      startPortkey(),
      startMockLlm(),
      startScriptedUpstream(),
    ]);
    for (const server of [llama, portkey, mock, ollama]) stack.use(server);
    world = await startModelWorld();
    stack.defer(() => world.stop());
    await world.createProvider({ slug: 'llama', kind: 'llama_cpp', base_url: llama.url });
    await world.createProvider({ slug: 'mock', base_url: mock.url });
    await world.createProvider({ slug: 'ollama', kind: 'ollama', base_url: ollama.url });
    await world.createProvider({
      slug: 'portkey',
      base_url: portkey.url,
      api_key: 'not-checked',
      headers: portkeyHeaders(llama.url),
      models: ['tiny'],
    });
  }, PATIENT.timeout);
  afterAll(() => stack.disposeAsync());

  const getCaller = (name: string, model: string): Promise<Caller> | Caller =>
    CALLERS[name]!({ url: world.url, apiKey: world.home.key, model });
  const directCaller = (name: string, road: Road): Promise<Caller> | Caller =>
    CALLERS[name]!({ apiKey: 'not-checked', ...road.direct() });

  describe.each(Object.keys(CALLERS))('%s', (name) => {
    test.each(Object.entries(ROADS))(
      'gets the same text from %s as without Fairlead',
      PATIENT,
      async (_, road) => {
        const [through, direct] = [await getCaller(name, road.model), await directCaller(name, road)];
        const expected = await direct.text(PROMPT);
        expect(expected.text).not.toBe('');
        expect(await through.text(PROMPT)).toEqual(expected);
        expect((await through.stream(PROMPT)).text).toBe((await direct.stream(PROMPT)).text);
      },
    );

    test.each(WHOLE)('uses tools, a schema and embeddings of %s', PATIENT, async (_, road) => {
      const [through, direct] = [await getCaller(name, road.model), await directCaller(name, road)];
      const weather = await through.tool(PROMPT);
      expect(['Rome', 'Oslo']).toContain(weather.city);
      expect(weather).toEqual(await direct.tool(PROMPT));
      const found = await through.object(PROMPT);
      expect(found).toEqual({ ok: expect.any(Boolean), color: expect.stringMatching(/^(?:red|green)$/) });
      expect(found).toEqual(await direct.object(PROMPT));
      expect(await through.embed(PROMPT)).toBe(await direct.embed(PROMPT));
    });

    test('leaves a stream and a call, and the model stops generating', PATIENT, async () => {
      const caller = await getCaller(name, 'llama/tiny');
      const before = await llama.state();
      await caller.leaveStream(PROMPT);
      await vi.waitFor(async () => {
        expect(await llama.state()).toMatchObject({ running: 0, aborted: before.aborted + 1 });
      }, PATIENCE);
      await caller.leaveCall(PROMPT, LEAVES_AFTER_MS);
      await vi.waitFor(async () => {
        expect(await llama.state()).toMatchObject({ running: 0, aborted: before.aborted + 2 });
      }, PATIENCE);
      const { tokens } = await llama.state();
      await new Promise((resolve) => setTimeout(resolve, LEAVES_AFTER_MS));
      expect((await llama.state()).tokens).toBe(tokens);
    });

    test('calls fairlead/echo with the same code', PATIENT, async () => {
      const caller = await getCaller(name, 'fairlead/echo');
      expect((await caller.text(PROMPT)).text).toBe(PROMPT);
      expect((await caller.stream(PROMPT)).text).toBe(PROMPT);
      expect((await caller.tool('call get_weather {"city": "Rome"}')).city).toBe('Rome');
      expect(await caller.object(PROMPT)).toEqual({ ok: expect.any(Boolean), color: expect.any(String) });
      expect(await caller.embed(PROMPT)).toBeGreaterThan(0);
    });
  });

  test('is counted with the tokens that the models reported', PATIENT, async () => {
    const key = await world.createKey();
    const caller = await CALLERS['openai']!({ url: world.url, apiKey: key.secret, model: 'llama/tiny' });
    const { tokens } = await caller.text(PROMPT);
    await caller.stream(PROMPT);
    const scripted = await CALLERS['openai']!({ url: world.url, apiKey: key.secret, model: 'ollama/ollama' });
    expect((await scripted.stream(PROMPT)).text).toBe(ANSWER);
    await vi.waitFor(async () => {
      const { data } = await world.call(`/usage/models?group_by=model&api_key_id=${key.id}`);
      expect(data).toContainEqual(
        expect.objectContaining({
          value: 'llama/tiny',
          calls: 2,
          failures: 0,
          input_tokens: 2 * tokens!.input,
          output_tokens: 2 * tokens!.output,
          unpriced_calls: 0,
        }),
      );
      expect(data).toContainEqual(
        expect.objectContaining({
          value: 'ollama/ollama',
          calls: 1,
          input_tokens: USAGE.input,
          output_tokens: USAGE.output,
        }),
      );
    }, PATIENCE);
  });
});
