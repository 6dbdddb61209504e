import { expect, test } from 'vitest';
import {
  getCost,
  nodeCode,
  NO_SETTINGS,
  python,
  pythonCode,
  readTools,
  shortened,
  toRequest,
  type Turn,
} from './playground-request.ts';

const turn = (part: Partial<Turn>): Turn => ({ role: 'user', text: '', images: [], toolCalls: [], ...part });
const TOOLS = '[{"type":"function","function":{"name":"weather"}}]';

test('blank settings are left out', () => {
  expect(toRequest(NO_SETTINGS, [turn({ text: 'Hi' })])).toEqual({
    messages: [{ role: 'user', content: 'Hi' }],
  });
  expect(toRequest({ system: ' Be brief. ', temperature: '0', max_tokens: '9', tools: TOOLS }, [])).toEqual({
    temperature: 0,
    max_tokens: 9,
    tools: [{ type: 'function', function: { name: 'weather' } }],
    messages: [{ role: 'system', content: 'Be brief.' }],
  });
});

test('images are parts of their message', () => {
  const [message] = toRequest(NO_SETTINGS, [turn({ text: 'What?', images: ['data:a'] })]).messages;
  expect(message).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: 'What?' },
      { type: 'image_url', image_url: { url: 'data:a' } },
    ],
  });
});

test('what follows tool calls is the result of each', () => {
  const asks = turn({ role: 'assistant', toolCalls: [{ id: 'c1', name: 'weather', arguments: '{}' }] });
  expect(toRequest(NO_SETTINGS, [asks, turn({ text: 'sunny' })]).messages).toEqual([
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
  ]);
});

test('tools must be an array of objects with a type', () => {
  expect(readTools(' ')).toEqual({ tools: undefined });
  expect(readTools(TOOLS)).toHaveProperty('tools');
  for (const text of ['{', '{}', '[]', '[1]', '[{}]']) expect(readTools(text)).toHaveProperty('error');
});

test('cost counts cached tokens once, at their price', () => {
  const usage = {
    prompt_tokens: 1000,
    completion_tokens: 100,
    prompt_tokens_details: { cached_tokens: 400 },
  };
  const price = {
    input: 2,
    output: 10,
    cache_write: null,
    cache_write_1h: null,
    request: null,
    search: null,
  };
  expect(getCost(usage, { ...price, cached_input: 0.5 })).toBeCloseTo(0.0024);
  expect(getCost(usage, { ...price, cached_input: null })).toBeCloseTo(0.003);
  expect(getCost(usage, { ...price, cached_input: null, request: 0.5 })).toBeCloseTo(0.503);
  expect(getCost(null, { ...price, cached_input: null })).toBeNull();
  expect(getCost(usage, null)).toBeNull();
});

test('shows requests without the data of images', () => {
  const url = `data:image/png;base64,${'A'.repeat(1000)}`;
  expect(JSON.stringify(shortened({ url })).length).toBeLessThan(80);
});

test('writes the request for the clients of Node and Python', () => {
  const body = {
    model: 'openai/gpt-5',
    temperature: 0.5,
    messages: [{ role: 'user', content: 'It\'s "on"' }],
  };
  expect(nodeCode(body, 'https://x.test')).toContain(`baseURL: 'https://x.test/api/v1'`);
  expect(nodeCode(body, 'https://x.test')).toContain(`      content: "It's \\"on\\""`);
  const code = pythonCode(body, 'https://x.test');
  expect(code).toContain('    temperature=0.5,\n');
  expect(code).toContain('    stream=True,\n)');
  expect(python({ a: [null, false], b: [] })).toBe(
    '{\n    "a": [\n        None,\n        False,\n    ],\n    "b": [],\n}',
  );
});
