/**
 * Tests budgets with a provider that uses the maximum: it applies the largest limit of a call in any field, counts
 * every byte of text as a token, and reports the usage, omits it, or breaks off.
 */
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type FakeProvider,
  type Received,
  sendJson,
  startFakeProvider,
} from '../../../../test/support/models/fake-provider.ts';
import { data, DONE, toUsage } from '../../../../test/support/models/call-world.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { readCallBody } from '../contract/call-body.ts';
import type { CallJson } from '../contract/input-size.ts';
import { getWorstCase } from '../contract/worst-case.ts';
import type { Target } from '../contract/model-catalog.ts';

/** Calls of one run, all at the same time, by turns to two processes. */
const CALLS = 50;
/** Maximum tokens that the provider uses for a call without a limit, as reserved according to docs/budgets.md. */
const UNLIMITED = 8_192;

let fake: FakeProvider;
let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  fake = await startFakeProvider();
  const settings = { EGRESS_ALLOW: `127.0.0.1:${fake.port}` };
  app = await startTestApp(settings);
  other = await startTestApp(settings, app);
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  await fake.stop();
});

const LIMIT_FIELDS = [
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'max_new_tokens',
  'n_predict',
];

function countText(value: unknown): number {
  if (typeof value === 'string') return value.startsWith('https://') ? 5_000 : Buffer.byteLength(value);
  if (value === null || typeof value !== 'object') return 1;
  const names = Array.isArray(value) ? '' : Object.keys(value).join('');
  return Object.values(value).reduce<number>((sum, item) => sum + countText(item), names.length);
}

/** The usage of the provider for a call. Of the fields that it knows, an unlimited one wins. */
function getAppetite(body: string): { input: number; output: number; isStream: boolean; seed: number } {
  const call = JSON.parse(body) as Record<string, unknown>;
  const limits = LIMIT_FIELDS.map((name) => call[name]).filter(
    (value) => value !== undefined && value !== null,
  );
  const own = ['max_tokens', 'max_completion_tokens'].some((name) => Number(call[name]) > 0);
  const largest = Math.max(0, ...limits.map(Number), ...(own ? [] : [UNLIMITED]));
  return {
    input: countText({ ...call, model: '' }) - 'model'.length,
    output: largest * Math.max(1, Number(call['n'] ?? 1), Number(call['best_of'] ?? 1)),
    isStream: call['stream'] === true,
    seed: Number(call['seed'] ?? 0),
  };
}

const COUNT = fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constant('700'));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const CONTENT = fc.oneof(
  fc.string({ maxLength: 300, unit: 'grapheme' }),
  fc.constant(`data:;base64,${'word '.repeat(300)}`),
  fc.record({ text: fc.string({ maxLength: 200 }) }).map(({ text }) => [{ type: 'image', text }]),
  fc.constant([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]),
);
const BODY = fc.record({
  messages: fc.array(fc.record({ role: fc.constant('user'), content: CONTENT }), {
    minLength: 1,
    maxLength: 3,
  }),
  max_tokens: maybe(fc.integer({ min: 1, max: 3_000 })),
  max_completion_tokens: maybe(fc.integer({ min: 1, max: 3_000 })),
  max_output_tokens: maybe(COUNT),
  max_new_tokens: maybe(COUNT),
  n_predict: maybe(COUNT),
  n: maybe(fc.integer({ min: 1, max: 4 })),
  best_of: maybe(fc.integer({ min: 1, max: 4 })),
  stream: fc.boolean(),
  seed: fc.nat(2),
});

/** Answers as the call's seed says: with its usage, without, or broken off. */
function respond(received: Received, response: Parameters<FakeProvider['respond']>[1]): void {
  const { input, output, isStream, seed } = getAppetite(received.body);
  const usage = toUsage(input, output);
  const text = 'x'.repeat(Math.min(output, 200));
  if (!isStream) {
    if (seed === 1) response.destroy();
    else
      sendJson(response, 200, {
        choices: [{ message: { role: 'assistant', content: text } }],
        ...(seed === 0 ? { usage } : {}),
      });
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(data({ choices: [{ index: 0, delta: { content: text } }] }));
  if (seed === 1) setTimeout(() => response.destroy(), 5);
  else response.end((seed === 0 ? data({ choices: [], usage }) : '') + DONE);
}

test('no call can take more than is reserved for it', () => {
  const target = { price: null, maxOutputTokens: null, contextLength: null } as Target;
  fc.assert(
    fc.property(BODY, (body) => {
      const text = JSON.stringify({ model: 'p/small', ...body });
      const read = readCallBody('chat/completions', JSON.parse(text) as CallJson, Buffer.from(text));
      const { input, output } = getAppetite(text);
      const { tokens } = getWorstCase('chat/completions', read, [target]);
      expect(tokens).toBeGreaterThanOrEqual(input + output);
    }),
    { numRuns: 1_000 },
  );
});

test('whatever calls say, and however they end, no budget is passed', { timeout: 120_000 }, async () => {
  fake.respond = respond;
  await fc.assert(
    fc.asyncProperty(
      fc.array(BODY, { minLength: 10, maxLength: CALLS }),
      fc.constantFrom('tokens', 'usd'),
      fc.integer({ min: 5_000, max: 200_000 }),
      fc.constantFrom(null, 0.5, 2),
      fc.array(fc.nat(CALLS - 1), { maxLength: 5 }),
      async (bodies, unit, tokens, change, leaving) => {
        const { key } = await startWorkspace(app);
        await app.call('/model-providers', {
          key,
          body: {
            kind: 'openai_compatible',
            name: 'p',
            slug: 'p',
            base_url: fake.url,
            models: [{ id: 'small' }],
            prices: { small: { input: 1, output: 3 } },
          },
        });
        const toLimit = (amount: number) => ({
          [unit]: unit === 'usd' ? amount / 1_000_000 : Math.round(amount),
        });
        const budget = { name: 'b', limit: toLimit(tokens), window: 'total' };
        const { id } = (await app.call('/budgets', { key, body: budget })).body;
        const calls = Promise.allSettled(
          bodies.map(async (body, nth) => {
            const leaves = leaving.includes(nth) ? { signal: AbortSignal.timeout(5) } : {};
            const base = nth % 2 ? app.base : other.base;
            const response = await fetch(`${base}/api/v1/chat/completions`, {
              method: 'POST',
              headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
              body: JSON.stringify({ model: 'p/small', ...body }),
              ...leaves,
            });
            await response.text();
            return response.status;
          }),
        );
        const limits = [tokens, ...(change === null ? [] : [tokens * change])];
        if (change !== null)
          await app.call(`/budgets/${id}`, {
            key,
            body: { limit: toLimit(tokens * change) },
            method: 'PATCH',
          });
        const settled = await calls;
        const statuses = settled.map((one) => (one.status === 'fulfilled' ? one.value : 0));
        expect(statuses.filter((status) => ![0, 200, 402, 502].includes(status))).toEqual([]);
        const read = async () => (await app.call(`/budgets/${id}`, { key })).body;
        await expect.poll(async () => (await read()).reserved, PATIENCE).toBe(0);
        const { used } = await read();
        expect(used).toBeLessThanOrEqual(toLimit(Math.max(...limits))[unit]!);
      },
    ),
    { numRuns: 12 },
  );
});
