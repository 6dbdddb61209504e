import { expect, test } from 'vitest';
import { readCallBody, toUpstreamBody } from './call-body.ts';
import type { CallJson } from './input-size.ts';
import type { CallOperation } from './upstream.ts';

const read = (text: string, operation: CallOperation = 'chat/completions') =>
  readCallBody(operation, JSON.parse(text) as CallJson, Buffer.from(text));
const upstream = (text: string, asksUsage = false): string =>
  toUpstreamBody(read(text), 'up', asksUsage).toString();

test('the order of keys, digits, escapes and NUL reach the upstream as they were sent', () => {
  const schema = '{"10":{"type":"string"},"2":{"const":1.10},"b":1e400,"a":12345678901234567890}';
  const text = `{ "tools":[{"parameters":${schema}}],\n "model" : "a\\/b", "tool_output":"a\\u0000b\\ud800" }`;
  expect(upstream(text)).toBe(text.replace('"a\\/b"', '"up"'));
});

test.each([
  ['{"model":"a"}', '{"stream_options":{"include_usage":true},"model":"up"}'],
  ['{"model":"a","stream_options":null}', '{"model":"up","stream_options":{"include_usage":true}}'],
  ['{"model":"a","stream_options":{}}', '{"model":"up","stream_options":{"include_usage":true}}'],
  [
    '{"stream_options":{"b":1.0,"a":2},"model":"a"}',
    '{"stream_options":{"include_usage":true,"b":1.0,"a":2},"model":"up"}',
  ],
  [
    '{"stream_options":{"include_usage":false,"a":2},"model":"a"}',
    '{"stream_options":{"include_usage":true,"a":2},"model":"up"}',
  ],
])('usage is asked for beside what was sent: %s', (text, expected) => {
  expect(upstream(text, true)).toBe(expected);
});

test.each([
  '{"model":"a","model":"b"}',
  '{"model":"a","max_tokens":90000,"max_tokens":1}',
  '{"model":"a","max_tokens":90000,"max\\u005ftokens":1}',
  '{"model":"a","messages":[{"content":"long","content":""}]}',
])('a name that comes twice is rejected, because providers differ in which one they read: %s', (text) => {
  expect(() => read(text)).toThrowError(expect.objectContaining({ code: 'invalid_json' }));
});

test('a response in the background is rejected, because it could not be retrieved', () => {
  const text = '{"model":"a","input":"Hi","background":true}';
  expect(() => read(text, 'responses')).toThrowError(
    expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/background' })] }),
  );
  expect(read(text.replace('true', 'false'), 'responses').model).toBe('a');
});

test('the name of a model can be stored', () => {
  expect(() => read('{"model":"a\\u0000b"}')).toThrowError(
    expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/model' })] }),
  );
});
