import { expect, test } from 'vitest';
import { countQuarters, toTokens } from './token-estimate.ts';
import { addUsage, mergeUsage, readUsage, toCost, toWorstCost } from './usage.ts';

const NANO_USD = 1_000_000_000;
/** Claude's prices in billionths of a USD per token. */
const PRICE = { input: 3_000, cachedInput: 300, output: 15_000, cacheWrite: 3_750, cacheWrite1h: 6_000 };

test('input that LiteLLM reports as read from the cache is cached', () => {
  const usage = {
    prompt_tokens: 31_000,
    completion_tokens: 100,
    total_tokens: 31_100,
    prompt_tokens_details: { cached_tokens: 0 },
    cache_read_input_tokens: 30_940,
    cache_creation_input_tokens: 0,
  };
  expect(readUsage(usage)).toEqual({ input: 31_000, cached: 30_940, output: 100 });
  expect(toCost(readUsage(usage)!, PRICE)! / NANO_USD).toBeCloseTo(0.010962, 9);
});

test('cache writes that only the total includes are input at their own price, not output', () => {
  const usage = {
    prompt_tokens: 3,
    completion_tokens: 50,
    total_tokens: 12_357,
    cache_creation_input_tokens: 12_304,
    cache_read_input_tokens: 0,
  };
  expect(readUsage(usage)).toEqual({ input: 12_307, cached: 0, output: 50, cacheWrites: 12_304 });
  expect(toCost(readUsage(usage)!, PRICE)! / NANO_USD).toBeCloseTo(0.046899, 9);
});

test('cache writes of OpenRouter are part of the input, and its cost is read', () => {
  const usage = {
    prompt_tokens: 100_000,
    completion_tokens: 100,
    total_tokens: 100_100,
    prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 99_000 },
    cost: 0.37575,
  };
  const read = readUsage(usage)!;
  expect(read).toEqual({
    input: 100_000,
    cached: 0,
    output: 100,
    cacheWrites: 99_000,
    cost: 375_750_000,
  });
  expect(toCost(read, PRICE)).toBe(375_750_000);
});

test("Anthropic's own counts stand beside the input, and each has its price", () => {
  const usage = {
    input_tokens: 10,
    output_tokens: 20,
    cache_read_input_tokens: 1_000,
    cache_creation_input_tokens: 300,
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  };
  const read = readUsage(usage)!;
  expect(read).toEqual({ input: 1_310, cached: 1_000, output: 20, cacheWrites: 300, cacheWrites1h: 200 });
  expect(toCost(read, PRICE)).toBe(10 * 3_000 + 1_000 * 300 + 100 * 3_750 + 200 * 6_000 + 20 * 15_000);
  const { cacheWrite: _5m, cacheWrite1h: _1h, ...plain } = PRICE;
  expect(toCost(read, plain)).toBe(310 * 3_000 + 1_000 * 300 + 20 * 15_000);
});

test.each([
  [
    { completion_tokens: 30, total_tokens: 40, reasoning: 20 },
    { output: 30, reasoning: 20 },
  ],
  [
    { completion_tokens: 5, total_tokens: 35, reasoning: 20 },
    { output: 25, reasoning: 20 },
  ],
])('reasoning within and beside the output is counted once: %j', ({ reasoning, ...counts }, expected) => {
  const details = { completion_tokens_details: { reasoning_tokens: reasoning } };
  expect(readUsage({ prompt_tokens: 10, ...counts, ...details })).toEqual({
    input: 10,
    cached: 0,
    ...expected,
  });
});

test('tokens of audio and images are reported apart', () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 50,
    prompt_tokens_details: { audio_tokens: 60, image_tokens: 30 },
    completion_tokens_details: { audio_tokens: 40 },
  };
  expect(readUsage(usage)).toEqual({ input: 100, cached: 0, output: 50, audio: 100, image: 30 });
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 10_001, '1', null, [], {}])(
  'a cost of %j is not read',
  (cost) => expect(readUsage({ prompt_tokens: 1, cost })).not.toHaveProperty('cost'),
);

test.each([
  [{ cost: 0 }, 0],
  [{ cost: { total_cost: 0.25 } }, 0.25],
  [{ cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.2 } }, 0.21],
  [{ cost: 0.2, is_byok: false, cost_details: { upstream_inference_cost: 0.2 } }, 0.2],
])('the cost of %j is read in USD', (more, usd) => {
  expect(readUsage({ prompt_tokens: 1, ...more })!.cost).toBe(Math.round(usd * NANO_USD));
});

test('a later frame wins except where it reports 0', () => {
  const [first, later] = [
    { input: 100, cached: 50, output: 1 },
    { input: 0, cached: 0, output: 7 },
  ];
  expect(mergeUsage(first, later)).toEqual({ input: 100, cached: 50, output: 7 });
  expect(mergeUsage(first, { input: 0, cached: 0, output: 0 })).toEqual(first);
  expect(mergeUsage(null, later)).toEqual(later);
  expect(mergeUsage(first, null)).toEqual(first);
});

test('sums keep the details of each', () => {
  const a = { input: 5, cached: 1, output: 2, cacheWrites: 3 };
  expect(addUsage(a, { ...a, reasoning: 1 })).toEqual({
    input: 10,
    cached: 2,
    output: 4,
    cacheWrites: 6,
    reasoning: 1,
  });
});

test('the fee of a request is charged once something was used, and the worst case includes it', () => {
  const price = { ...PRICE, request: 5_000_000 };
  expect(toCost({ input: 0, cached: 0, output: 0 }, price)).toBe(0);
  expect(toCost({ input: 1, cached: 0, output: 0 }, price)).toBe(5_003_000);
  expect(toWorstCost(10, 10, 20, price)).toBe(10 * 6_000 + 10 * 15_000 + 5_000_000);
});

test.each([
  ['Hello, world', 3],
  ['这是一个测试', 6],
  ['これはテストです', 8],
  ['한국어입니다', 6],
  ['Привет', 3],
  ['🚢', 2],
])('tokens of %s are estimated by its script', (text, tokens) => {
  expect(toTokens(countQuarters(text))).toBe(tokens);
});
