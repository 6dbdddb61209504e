import { expect, test } from 'vitest';
import type { Target } from './model-catalog.ts';
import { toCallBody } from './call-body.ts';
import { type CallJson, measureInput } from './input-size.ts';
import { getWorstCase } from './worst-case.ts';

const target = (more: Partial<Target> = {}): Target => ({
  model: 'a/m',
  upstreamModel: 'm',
  providerId: null,
  providerSlug: 'a',
  upstream: { send: () => Promise.reject(new Error('not called')) },
  timeoutMs: 1_000,
  price: { input: 10, cachedInput: 1, output: 20 },
  maxOutputTokens: null,
  contextLength: null,
  modelFields: null,
  supports: () => true,
  enter: async () => () => {},
  ...more,
});
const user = (content: unknown) => ({ model: 'a/m', messages: [{ role: 'user', content }] });

const worst = (body: CallJson, targets = [target()]) =>
  getWorstCase('chat/completions', toCallBody('chat/completions', body), targets);

test('input is never less than the bytes of its text, in any language', () => {
  const text = 'Grüße 灯台 🚢';
  const { bytes } = measureInput('chat/completions', user(text));
  expect(bytes).toBeGreaterThanOrEqual(Buffer.byteLength(text));
  const tools = [{ type: 'function', function: { name: 'f', description: 'x'.repeat(500) } }];
  expect(measureInput('chat/completions', { ...user(text), tools }).bytes).toBeGreaterThan(bytes + 500);
});

const measured = (parts: unknown) => measureInput('chat/completions', user(parts));
const BASE64 = 'A'.repeat(1_000_000);

test('an image counts the same whatever its size; audio, videos and files count by theirs', () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${BASE64}` } };
  const audio = { type: 'input_audio', input_audio: { data: BASE64, format: 'wav' } };
  const size = measured([{ type: 'text', text: 'What is this?' }, image, audio]);
  expect(size).toMatchObject({ media: 2, isOpen: false, mediaTokens: 5_000 + 750_000 / 20 });
  expect(size.bytes).toBeLessThan(200);
  const response = { type: 'input_image', image_url: `data:image/png;base64,${BASE64}` };
  expect(
    measureInput('responses', { model: 'm', input: [{ role: 'user', content: [response] }] }),
  ).toMatchObject({ media: 1, mediaTokens: 5_000 });
  const file = { type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${BASE64}` } };
  expect(measured([file]).mediaTokens).toBe(750_000);
});

test.each([
  ['text that looks like encoded data', `data:;base64,${'word '.repeat(80_000)}`],
  ['an object with the type of an image', [{ type: 'image', text: 'word '.repeat(80_000) }]],
  ['a file without a file', [{ type: 'file', note: 'word '.repeat(80_000) }]],
  ['an image whose address is a text', [{ type: 'image_url', image_url: { url: 'word '.repeat(80_000) } }]],
  [
    'an image with a text beside it',
    [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' }, text: 'word '.repeat(80_000) }],
  ],
])('%s is measured', (_, content) => {
  expect(measured(content).bytes).toBeGreaterThanOrEqual(400_000);
});

test.each([
  ['an earlier response', { previous_response_id: 'resp_1' }],
  ['a stored prompt', { prompt: { id: 'pmpt_1' } }],
  ["a provider's own tool", { tools: [{ type: 'web_search' }] }],
  ['a file by its ID', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }],
  ['a video by its address', user([{ type: 'video_url', video_url: { url: 'https://example.com/a' } }])],
])('input that the call does not show counts as the context of the model: %s', (_, more) => {
  const body = toCallBody('responses', { input: 'Hi', max_output_tokens: 1, ...more, model: 'a/m' });
  const tokens = (contextLength: number | null) =>
    getWorstCase('responses', body, [target({ contextLength })]).tokens;
  expect(body.size.isOpen).toBe(true);
  expect(tokens(50_000)).toBe(body.size.bytes + 50_000 + 1);
  expect(tokens(null)).toBe(body.size.bytes + 128_000 + 1);
});

test('output is what the call allows, else what the model can, else 8,192 tokens', () => {
  const empty = worst({ ...user(''), max_tokens: 1 }).tokens - 1;
  const fields = (more: object) => worst({ ...user(''), ...more }).tokens;
  const added = (more: object) =>
    fields(more) - measureInput('chat/completions', { ...user(''), ...more }).bytes;
  expect(empty).toBeGreaterThan(0);
  expect(added({ max_tokens: 100 })).toBe(100);
  expect(added({ max_completion_tokens: 1, max_tokens: 90_000 })).toBe(90_000);
  // A server of the chat API ignores the limit of the responses API, unless it doesn't.
  expect(added({ max_output_tokens: 1 })).toBe(8_192);
  expect(added({ max_tokens: 1, max_output_tokens: 90_000 })).toBe(90_000);
  expect(added({ max_tokens: 1, max_new_tokens: '90000' })).toBe(90_000);
  expect(added({ max_tokens: 1, thinking: { budget_tokens: 5_000 } })).toBe(5_000);
  expect(added({ max_tokens: 1, max_completion_tokens: 0 })).toBe(8_192);
  expect(added({ max_tokens: 10, best_of: 4 })).toBe(40);
  expect(added({ max_tokens: 100, n: 3 })).toBe(300);
  expect(added({})).toBe(8_192);
  expect(added({ max_tokens: -1 })).toBe(8_192);
  const { bytes } = measureInput('chat/completions', user(''));
  expect(worst(user(''), [target({ maxOutputTokens: 500 })]).tokens).toBe(bytes + 500);
});

test('embeddings have no output, and token IDs are counted', () => {
  const count = (input: unknown) => measureInput('embeddings', { model: 'm', input }).bytes;
  expect(count([1, 2, 3])).toBe(3);
  expect(count([[1, 2], [3]])).toBe(3);
  expect(count(['ab', 'cd'])).toBeGreaterThanOrEqual(4);
  const body = toCallBody('embeddings', { model: 'm', input: [1, 2, 3] });
  expect(getWorstCase('embeddings', body, [target()])).toEqual({ tokens: 3, cost: 30 });
});

test('a price for searches is reserved for one, or for twenty where the provider may search', () => {
  const searching = target({ price: { input: 0, cachedInput: 0, output: 0, search: 7 } });
  expect(worst(user(''), [searching]).cost).toBe(7);
  for (const more of [
    { tools: [{ type: 'web_search' }] },
    { web_search_options: {} },
    { search_parameters: {} },
  ])
    expect(worst({ ...user(''), ...more }, [searching]).cost).toBe(20 * 7);
});

test('of a route, the most expensive target counts; an unknown price stays unknown', () => {
  const body = { ...user(''), max_tokens: 10 };
  const { bytes } = measureInput('chat/completions', body);
  const dear = target({ price: { input: 100, cachedInput: 0, output: 0 } });
  expect(worst(body, [target(), dear]).cost).toBe(Math.max(bytes * 10 + 200, bytes * 100));
  expect(worst(body, [target(), target({ price: null })]).cost).toBeNull();
  expect(worst(body, [target({ price: { input: 0, cachedInput: 0, output: 0 } })]).cost).toBe(0);
});
