import { expect, test } from 'vitest';
import type { Target } from '../catalog/model-catalog.ts';
import { getWorstCase, measureInput } from './worst-case.ts';

const target = (more: Partial<Target> = {}): Target => ({
  model: 'a/m',
  upstreamModel: 'm',
  providerId: null,
  providerSlug: 'a',
  upstream: { send: () => Promise.reject(new Error('not called')) },
  timeoutMs: 1_000,
  price: { input: 10, cachedInput: 1, output: 20 },
  maxOutputTokens: null,
  supports: () => true,
  enter: async () => () => {},
  ...more,
});
const user = (content: unknown) => ({ model: 'a/m', messages: [{ role: 'user', content }] });

const worst = (body: Parameters<typeof measureInput>[1], targets = [target()]) =>
  getWorstCase('chat/completions', body, measureInput('chat/completions', body), targets);

test('input is never less than the bytes of its text, in any language', () => {
  const text = 'Grüße 灯台 🚢';
  const { bytes } = measureInput('chat/completions', user(text));
  expect(bytes).toBeGreaterThanOrEqual(Buffer.byteLength(text));
  const tools = [{ type: 'function', function: { name: 'f', description: 'x'.repeat(500) } }];
  expect(measureInput('chat/completions', { ...user(text), tools }).bytes).toBeGreaterThan(bytes + 500);
});

test('an image, audio or file counts the same whatever its size', () => {
  const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`;
  const parts = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url } },
    { type: 'input_audio', input_audio: { data: 'A'.repeat(1_000_000), format: 'wav' } },
  ];
  const size = measureInput('chat/completions', user(parts));
  expect(size.media).toBe(2);
  expect(size.bytes).toBeLessThan(200);
  expect(
    measureInput('responses', { model: 'm', input: [{ content: [{ type: 'x', data: url }] }] }).media,
  ).toBe(1);
});

test('output is what the call allows, else what the model can, else 8,192 tokens', () => {
  const empty = worst({ ...user(''), max_tokens: 1 }).tokens - 1;
  const fields = (more: object) => worst({ ...user(''), ...more }).tokens;
  const added = (more: object) =>
    fields(more) - measureInput('chat/completions', { ...user(''), ...more }).bytes;
  expect(empty).toBeGreaterThan(0);
  expect(added({ max_tokens: 100 })).toBe(100);
  expect(added({ max_completion_tokens: 50, max_tokens: 100 })).toBe(50);
  expect(added({ max_tokens: 100, n: 3 })).toBe(300);
  expect(added({})).toBe(8_192);
  expect(added({ max_tokens: -1 })).toBe(8_192);
  const { bytes } = measureInput('chat/completions', user(''));
  expect(worst(user(''), [target({ maxOutputTokens: 500 })]).tokens).toBe(bytes + 500);
});

test('embeddings have no output, and token IDs are counted', () => {
  const measured = (input: unknown) => measureInput('embeddings', { model: 'm', input }).bytes;
  expect(measured([1, 2, 3])).toBe(3);
  expect(measured([[1, 2], [3]])).toBe(3);
  expect(measured(['ab', 'cd'])).toBeGreaterThanOrEqual(4);
  const body = { model: 'm', input: [1, 2, 3] };
  expect(getWorstCase('embeddings', body, measureInput('embeddings', body), [target()])).toEqual({
    tokens: 3,
    cost: 30,
  });
});

test('of a route, the most expensive target counts; an unknown price stays unknown', () => {
  const body = { ...user(''), max_tokens: 10 };
  const { bytes } = measureInput('chat/completions', body);
  const dear = target({ price: { input: 100, cachedInput: 0, output: 0 } });
  expect(worst(body, [target(), dear]).cost).toBe(Math.max(bytes * 10 + 200, bytes * 100));
  expect(worst(body, [target(), target({ price: null })]).cost).toBeNull();
  expect(worst(body, [target({ price: { input: 0, cachedInput: 0, output: 0 } })]).cost).toBe(0);
});
