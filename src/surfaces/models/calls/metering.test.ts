/** Tests usage and cost of calls over HTTP: from the provider's usage to the call log, usage and budgets. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { data, delta, DONE, ROLE, STOP, toUsageFrame } from '../../../../test/support/models/call-world.ts';
import {
  COMPLETION,
  type FakeProvider,
  sendJson,
  startFakeProvider,
} from '../../../../test/support/models/fake-provider.ts';
import { type ModelWorld, startModelWorld } from '../../../../test/support/models/model-world.ts';

let fake: FakeProvider;
let world: ModelWorld;
/** A key with a budget in US dollars; all keys have one in tokens. */
let paying: string;
let budgets: { tokens: string; usd: string };

const PRICE = { input: 2, output: 10, cached_input: 0.5, cache_write: 3, cache_write_1h: 4, request: 0.25 };
const SEARCHING = { input: 2, output: 10, search: 0.5 };
/** The provider charges nothing for cache writes, and the maximum for a search. */
const EXTREME = { input: 2, output: 10, cache_write: 0, search: 100_000 };
const MODELS = ['priced', 'searching', 'extreme', 'unpriced', 'picky', 'other', 'broken'];

beforeAll(async () => {
  fake = await startFakeProvider();
  world = await startModelWorld();
  for (const kind of ['openai_compatible', 'openrouter', 'gemini'])
    await world.createProvider({
      slug: kind === 'openai_compatible' ? 'own' : kind,
      kind,
      base_url: fake.url,
      models: MODELS,
      prices: { priced: PRICE, searching: SEARCHING, extreme: EXTREME },
    });
  const { id, secret } = await world.createKey();
  paying = secret;
  const add = async (fields: object): Promise<string> =>
    (await world.call('/budgets', { name: 'b', window: 'total', ...fields })).id;
  budgets = {
    tokens: await add({ limit: { tokens: 1_000_000_000_000 } }),
    usd: await add({ limit: { usd: 1_000 }, api_key_id: id }),
  };
});
afterAll(async () => {
  await world.stop();
  await fake.stop();
});
beforeEach(() => {
  fake.received.length = 0;
});

const BODIES = {
  'chat/completions': { messages: [{ role: 'user', content: 'Hi' }] },
  responses: { input: 'Hi' },
  embeddings: { input: 'Hi' },
};
const DOCUMENTS = {
  'chat/completions': COMPLETION,
  responses: { object: 'response', status: 'completed', output: [{ type: 'message', content: [] }] },
  embeddings: { object: 'list', data: [{ embedding: [1] }] },
};
type Operation = keyof typeof BODIES;

const sendStream = (response: ServerResponse, ...frames: string[]): void =>
  void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(frames.join(''));
const call = (
  model: string,
  { operation = 'chat/completions' as Operation, stream = false, key = '', ...also },
) =>
  world.app.call(`/${operation}`, {
    key: key || world.home.key,
    body: { model, ...BODIES[operation], ...(stream && { stream }), ...also },
  });
const used = async (id: string): Promise<number> => (await world.call(`/budgets/${id}`)).used;
const lastCall = async () => (await world.call('/model-calls?limit=1')).data[0];
/** Bodies of the calls that the provider got. */
const sent = () =>
  fake.received.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

const BY_AGE = { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 };
const NO_PARTS = {
  cached_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  reasoning_tokens: 0,
  audio_tokens: 0,
  image_tokens: 0,
};

type Metered = { input_tokens: number; output_tokens: number; cost_usd: number } & Partial<typeof NO_PARTS>;

describe('what a provider reports', () => {
  test.each<[string, Operation, object, Metered]>([
    [
      'with cached, reasoning, audio and image tokens',
      'chat/completions',
      {
        prompt_tokens: 1_000,
        completion_tokens: 100,
        total_tokens: 1_100,
        prompt_tokens_details: { cached_tokens: 400, audio_tokens: 10, image_tokens: 7 },
        completion_tokens_details: { reasoning_tokens: 64, audio_tokens: 6 },
      },
      {
        input_tokens: 1_000,
        output_tokens: 100,
        cost_usd: 0.2524,
        cached_tokens: 400,
        reasoning_tokens: 64,
        audio_tokens: 16,
        image_tokens: 7,
      },
    ],
    [
      'with reads and writes of the cache beside the input',
      'chat/completions',
      {
        prompt_tokens: 100,
        completion_tokens: 10,
        total_tokens: 610,
        cache_read_input_tokens: 200,
        cache_creation_input_tokens: 300,
        cache_creation: BY_AGE,
      },
      {
        input_tokens: 600,
        output_tokens: 10,
        cost_usd: 0.2515,
        cached_tokens: 200,
        cache_write_tokens: 300,
        cache_write_1h_tokens: 200,
      },
    ],
    [
      'with writes of the cache for five minutes',
      'chat/completions',
      {
        prompt_tokens: 500,
        completion_tokens: 10,
        total_tokens: 510,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 400 },
      },
      { input_tokens: 500, output_tokens: 10, cost_usd: 0.2515, cache_write_tokens: 400 },
    ],
    [
      'of a response',
      'responses',
      {
        input_tokens: 20,
        output_tokens: 30,
        total_tokens: 50,
        output_tokens_details: { reasoning_tokens: 25 },
      },
      { input_tokens: 20, output_tokens: 30, cost_usd: 0.25034, reasoning_tokens: 25 },
    ],
    [
      'of embeddings',
      'embeddings',
      { prompt_tokens: 50, total_tokens: 50 },
      { input_tokens: 50, output_tokens: 0, cost_usd: 0.2501 },
    ],
  ])('%s is in the call log, the usage and the budgets', async (_, operation, usage, metered) => {
    const expected = { ...NO_PARTS, ...metered };
    const [tokens, usd] = [await used(budgets.tokens), await used(budgets.usd)];
    const { totals } = await world.call('/usage/models');
    fake.respond = (__, response) => sendJson(response, 200, { ...DOCUMENTS[operation], usage });
    expect(await call('own/priced', { operation, key: paying })).toHaveStatus(200);
    expect(await lastCall()).toMatchObject({ ...expected, operation, estimated: false });
    const after = (await world.call('/usage/models')).totals;
    const { cost_usd: cost, ...counts } = expected;
    for (const [name, count] of Object.entries(counts)) expect(after[name] - totals[name], name).toBe(count);
    expect(after.cost_usd - totals.cost_usd).toBeCloseTo(cost, 9);
    expect(await used(budgets.tokens)).toBe(tokens + counts.input_tokens + counts.output_tokens);
    expect(await used(budgets.usd)).toBeCloseTo(usd + cost, 9);
  });

  test('in the last frame of a stream counts as in a document', async () => {
    const usd = await used(budgets.usd);
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 410, cache_creation: BY_AGE };
    const last = data({ choices: [], usage: { ...usage, cache_creation_input_tokens: 300 } });
    fake.respond = (_, response) => sendStream(response, ROLE, delta('OK'), STOP, last, DONE);
    const { body } = await call('own/priced', { stream: true, key: paying });
    expect(body).toBe([ROLE, delta('OK'), STOP, DONE].join(''));
    const written = { cache_write_tokens: 300, cache_write_1h_tokens: 200 };
    expect(await lastCall()).toMatchObject({ ...written, input_tokens: 400, cost_usd: 0.2514 });
    expect(await used(budgets.usd)).toBeCloseTo(usd + 0.2514, 9);
  });
});

describe('a provider whose kind reports', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 40, cost: 0.125 };
  const byTokens = { output_tokens: 5, reasoning_tokens: 0 };
  const withReasoning = { output_tokens: 30, reasoning_tokens: 25 };
  test.each([
    // The price that the workspace set wins.
    ['its cost: with a price', 'openrouter/priced', { ...byTokens, cost_usd: 0.25007 }],
    ['its cost: without a price', 'openrouter/unpriced', { ...byTokens, cost_usd: 0.125 }],
    ['no cost: with a price', 'own/priced', { ...byTokens, cost_usd: 0.25007 }],
    ['no cost, but sends one: without a price', 'own/unpriced', { ...byTokens, cost_usd: 0.125 }],
    ['reasoning in the total alone', 'gemini/priced', { ...withReasoning, cost_usd: 0.25032 }],
  ])('%s', async (_, model, expected) => {
    fake.respond = (__, response) => sendJson(response, 200, { ...COMPLETION, usage });
    expect(await call(model, {})).toHaveStatus(200);
    expect(await lastCall()).toMatchObject({ ...expected, model, input_tokens: 10, estimated: false });
  });

  test('its cost in US dollars, whose list has another price', async () => {
    fake.list = { data: [{ id: 'listed', pricing: { prompt: '0.000002', completion: '0.00001' } }] };
    await world.createProvider({ slug: 'listing', kind: 'openrouter', base_url: fake.url });
    await world.createProvider({ slug: 'computing', base_url: fake.url });
    fake.respond = (__, response) => sendJson(response, 200, { ...COMPLETION, usage });
    for (const [slug, cost] of [
      ['listing', 0.125],
      ['computing', 0.00007],
    ]) {
      const before = await used(budgets.usd);
      expect(await call(`${slug}/listed`, { key: paying })).toHaveStatus(200);
      expect(await lastCall()).toMatchObject({ cost_usd: cost });
      expect(await used(budgets.usd)).toBeCloseTo(before + Number(cost), 9);
    }
  });
});

describe('searches of a provider', () => {
  /** Costs 0.00007 USD. */
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const search = (more: object = {}) => ({ type: 'web_search_call', status: 'completed', ...more });
  const items = [
    search(),
    search({ action: { type: 'search', query: 'x' } }),
    // Part of the search before it.
    search({ action: { type: 'open_page' } }),
    search({ status: 'failed' }),
    { type: 'message', content: [{ type: 'output_text', text: 'OK' }] },
  ];

  test.each([
    ['of OpenRouter and Anthropic', { server_tool_use: { web_search_requests: 3 } }, 3],
    ['of Perplexity', { num_search_queries: 2 }, 2],
    ['of xAI: sources', { num_sources_used: 4 }, 4],
    ['of xAI: tools', { server_side_tool_usage_details: { web_search_calls: 1, x_search_calls: 2 } }, 3],
    ['that are none', { num_sources_used: 0, server_tool_use: null }, 0],
    ['that are no number', { num_sources_used: '4', server_tool_use: { web_search_requests: -1 } }, 0],
  ])('%s cost the price of a search each', async (_, more, count) => {
    const usd = await used(budgets.usd);
    fake.respond = (__, response) => sendJson(response, 200, { ...COMPLETION, usage: { ...usage, ...more } });
    expect(await call('own/searching', { key: paying })).toHaveStatus(200);
    expect(await lastCall()).toMatchObject({ input_tokens: 10, output_tokens: 5 });
    expect((await lastCall()).cost_usd).toBeCloseTo(0.00007 + 0.5 * count, 9);
    expect(await used(budgets.usd)).toBeCloseTo(usd + 0.00007 + 0.5 * count, 9);
  });

  test('are the search calls among the items of a response, also of a stream whose last event is too large', async () => {
    const costs: number[] = [];
    const meter = async (stream: boolean): Promise<void> => {
      const { status } = await call('own/searching', { operation: 'responses', stream, key: paying });
      expect(status).toBe(200);
      costs.push((await lastCall()).cost_usd);
    };
    const document = { ...DOCUMENTS.responses, output: items, usage };
    fake.respond = (_, response) => sendJson(response, 200, document);
    await meter(false);
    for (const padding of ['', 'x'.repeat(300_000)]) {
      const events = [
        ...items.map((item) => ({ type: 'response.output_item.done', item })),
        { type: 'response.completed', response: { ...document, padding } },
      ];
      fake.respond = (_, response) => sendStream(response, ...events.map(data));
      await meter(true);
    }
    expect(costs).toEqual(Array.from({ length: 3 }, () => 1.00007));
  });
});

describe('a provider that reports nonsense', () => {
  const HUGE = 1e300;
  test.each<[string, object]>([
    ['negative numbers', { prompt_tokens: -5, completion_tokens: -1, total_tokens: -6, cost: -1 }],
    ['texts', { prompt_tokens: '10', completion_tokens: '5', cost: 'NaN' }],
    ['a text beside a number', { prompt_tokens: 10, completion_tokens: 'Infinity' }],
    ['fractions', { prompt_tokens: 0.1, completion_tokens: 1e-320 }],
    [
      'huge tokens',
      {
        prompt_tokens: HUGE,
        completion_tokens: HUGE,
        total_tokens: HUGE,
        reasoning_tokens: HUGE,
        cache_read_input_tokens: HUGE,
        cache_creation_input_tokens: HUGE,
        prompt_tokens_details: { audio_tokens: HUGE, image_tokens: HUGE },
        completion_tokens_details: { audio_tokens: HUGE, image_tokens: HUGE },
        cost: HUGE,
      },
    ],
    [
      'huge searches',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        server_side_tool_usage_details: { web_search_calls: HUGE, x_search_calls: HUGE },
      },
    ],
  ])('%s has its call recorded as it ended', async (_, usage) => {
    const { id, secret } = await world.createKey();
    const limit = { name: 'b', window: 'total', limit: { usd: 1_000_000 }, api_key_id: id };
    const budget = (await world.call('/budgets', limit)).id;
    const before = (await world.call('/usage/models')).totals;
    fake.respond = (__, response) => sendJson(response, 200, { ...COMPLETION, usage });
    const { status } = await call('own/extreme', { key: secret });
    expect(status).toBe(200);
    const recorded = await lastCall();
    expect(recorded).toMatchObject({ outcome: 'succeeded', model: 'own/extreme' });
    const after = (await world.call('/usage/models')).totals;
    expect(after.calls).toBe(before.calls + 1);
    for (const name of ['input_tokens', 'output_tokens', 'cost_usd', ...Object.keys(NO_PARTS)])
      expect(after[name], name).toBeGreaterThanOrEqual(before[name]);
    expect(await used(budget)).toBe(recorded.cost_usd);
  });

  test('no price that nobody could set', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const pricings = {
      huge: { prompt: '1e300', completion: '0.1', input_cache_read: 1e300 },
      endless: { prompt: '1e999', completion: '1e999' },
      searching: { prompt: '0.000001', completion: '0', web_search: 1e300, request: '1000000' },
    };
    fake.list = { data: Object.entries(pricings).map(([id, pricing]) => ({ id, pricing })) };
    await world.createProvider({ slug: 'greedy', base_url: fake.url });
    fake.respond = (_, response) => sendJson(response, 200, { ...COMPLETION, usage });
    const costs: Record<string, number | null> = {};
    for (const id of Object.keys(pricings)) {
      expect(await call(`greedy/${id}`, {})).toHaveStatus(200);
      expect(await lastCall()).toMatchObject({ model: `greedy/${id}`, input_tokens: 10 });
      costs[id] = (await lastCall()).cost_usd;
    }
    expect(costs).toEqual({ huge: null, endless: null, searching: 1_000_000 });
  });

  test('no sum of costs keeps a call from being recorded', async () => {
    await call('own/extreme', {});
    await world.app.database.pool.query('update model_call_stats set cost = 9223372036854775807');
    try {
      const before = (await world.call('/usage/models')).totals;
      expect(await call('own/extreme', {})).toHaveStatus(200);
      expect(await lastCall()).toMatchObject({ model: 'own/extreme', outcome: 'succeeded' });
      const after = (await world.call('/usage/models')).totals;
      expect(after.calls).toBe(before.calls + 1);
    } finally {
      await world.app.database.pool.query('update model_call_stats set cost = 0');
    }
  });

  test('fewer tokens in a later frame than it wrote to its cache has no cost below zero', async () => {
    const frames = [
      { prompt_tokens: 100_000, completion_tokens: 1, cache_creation: { ephemeral_1h_input_tokens: 90_000 } },
      { prompt_tokens: 1, completion_tokens: 1 },
    ].map((usage) => data({ choices: [], usage }));
    fake.respond = (_, response) => sendStream(response, ROLE, delta('OK'), STOP, ...frames, DONE);
    expect(await call('own/extreme', { stream: true })).toHaveStatus(200);
    expect(await lastCall()).toMatchObject({ input_tokens: 1, cache_write_tokens: 1, cost_usd: 0.00001 });
  });
});

describe('a stream', () => {
  const FRAMES = [ROLE, delta('OK'), STOP, toUsageFrame(3, 2), DONE];
  /** Rejects calls that have the field or, for the model `broken`, all; `accepts` may except some. */
  const reject = (accepts: (options: unknown) => boolean): void => {
    fake.respond = ({ body }, response) => {
      const { model, stream_options: options } = JSON.parse(body);
      if (model !== 'broken' && accepts(options)) sendStream(response, ...FRAMES);
      else sendJson(response, 400, { error: { message: 'Unknown parameter: stream_options' } });
    };
  };
  const asksUsage = (): boolean[] => sent().map((body) => body.stream_options?.include_usage === true);

  test.each([{ foo: 1 }, {}])(
    'with stream_options %j of a caller that are rejected leaves metering on for others',
    async (options) => {
      fake.respond = (_, response) =>
        sendJson(response, 400, { error: { message: "Unknown parameter: 'stream_options.foo'." } });
      const rejected = await call('own/other', { stream: true, stream_options: options });
      expect(rejected).toHaveStatus(400);
      // It is not sent again either: the field is the caller's.
      expect(sent()).toHaveLength(1);
      reject(() => true);
      await call('own/other', { stream: true });
      expect(asksUsage().at(-1)).toBe(true);
      expect(await lastCall()).toMatchObject({ input_tokens: 3, output_tokens: 2, estimated: false });
    },
  );

  test('that is rejected without the field too has the next one ask for usage again', async () => {
    reject(() => true);
    for (let nth = 0; nth < 2; nth++) {
      expect(await call('own/broken', { stream: true })).toHaveStatus(400);
      expect(asksUsage()).toEqual([true, false, true, false].slice(0, 2 * (nth + 1)));
    }
  });

  test('of a model that rejects the field is sent without it, of other models with it', async () => {
    reject((options) => options === undefined);
    for (const model of ['own/picky', 'own/picky'])
      expect((await call(model, { stream: true })).body).toBe(FRAMES.join(''));
    expect(await lastCall()).toMatchObject({ input_tokens: 3, output_tokens: 2, estimated: false });
    expect(asksUsage()).toEqual([true, false, false]);
    await call('own/other', { stream: true });
    await call('openrouter/picky', { stream: true });
    expect(asksUsage().slice(3)).toEqual([true, false, true, false]);
  });
});
