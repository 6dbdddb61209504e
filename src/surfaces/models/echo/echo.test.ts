import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { CallOperation } from '../calls/upstream.ts';
import { createEcho } from './echo.ts';
import { createJsonSample } from './json-sample.ts';

const echo = createEcho({ paceMs: 0 });
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });

async function* respond(operation: CallOperation, body: object, signal = new AbortController().signal) {
  const { stream = false } = body as { stream?: boolean };
  const { body: chunks } = await echo.send({
    operation,
    query: '',
    body: Buffer.from(JSON.stringify({ model: 'fairlead/echo', ...body })),
    stream,
    traceparent: null,
    signal,
    timeoutMs: 1_000,
    partTimeoutMs: 1_000,
  });
  for await (const chunk of chunks) yield Buffer.from(chunk).toString();
}

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
  const array: T[] = [];
  for await (const item of items) array.push(item);
  return array;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
async function getDocument(operation: CallOperation, body: object): Promise<any> {
  return JSON.parse((await toArray(respond(operation, body))).join(''));
}

const getFrames = (operation: CallOperation, body: object): Promise<string[]> =>
  toArray(respond(operation, { ...body, stream: true }));

async function getPieces(content: unknown): Promise<string[]> {
  const frames = await getFrames('chat/completions', user(content));
  expect(frames.at(-1)).toBe('data: [DONE]\n\n');
  return frames.slice(1, -2).map((frame) => JSON.parse(frame.slice(6)).choices[0].delta.content);
}

describe('a stream returns the whole text in pieces', () => {
  test.each(['Hello, dear  world!\n', ' ', '', 'a', ' a ', '💥 💥', 'a\u2028b'])('%j', async (text) => {
    expect((await getPieces(text)).join('')).toBe(text);
  });

  test('word by word', async () => {
    expect(await getPieces('one two  three')).toEqual(['one', ' two', '  three']);
  });

  test('of a huge text in a bounded number of pieces, with no character cut in two', async () => {
    const text = 'é💥a '.repeat(400_000);
    const pieces = await getPieces(text);
    expect(pieces.length).toBeLessThanOrEqual(1_001);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join('')).toBe(text);
  });

  test('and reports usage only if it is asked to', async () => {
    const asked = await getFrames('chat/completions', {
      ...user('Hello'),
      stream_options: { include_usage: true },
    });
    expect(JSON.parse(asked.at(-2)!.slice(6))).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
    });
    expect((await getFrames('chat/completions', user('Hello'))).join('')).not.toContain('usage');
  });
});

test('the text of parts is returned; images are not', async () => {
  const parts = [
    { type: 'text', text: 'What is ' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'text', text: 'this?' },
  ];
  const { choices } = await getDocument('chat/completions', user(parts));
  expect(choices[0].message.content).toBe('What is this?');
});

test.each([
  ['chat/completions', 'max_tokens'],
  ['chat/completions', 'max_completion_tokens'],
  ['responses', 'max_output_tokens'],
] as const)('%s ends at %s', async (operation, field) => {
  const text = '💥 words'.repeat(100);
  const body = operation === 'responses' ? { input: text } : user(text);
  const document = await getDocument(operation, { ...body, [field]: 3 });
  const whole = JSON.stringify(document);
  expect(whole).toContain(operation === 'responses' ? '"reason":"max_output_tokens"' : '"length"');
  expect(document.usage.completion_tokens ?? document.usage.output_tokens).toBe(3);
});

test('it stops when the call is aborted', async () => {
  const controller = new AbortController();
  const frames: string[] = [];
  const reading = (async () => {
    const body = { ...user('one two three four'), stream: true };
    for await (const frame of respond('chat/completions', body, controller.signal)) {
      frames.push(frame);
      if (frames.length === 2) controller.abort();
    }
  })();
  await expect(reading).rejects.toMatchObject({ code: 'aborted' });
  expect(frames).toHaveLength(2);
});

describe('tools', () => {
  const tools = [{ type: 'function', function: { name: 'add' } }];
  test.each([
    ['call add {"a": 1}', '{"a":1}'],
    ['call add', '{}'],
    ['call add {oops}', '{oops}'],
  ])('%j calls the function', async (content, given) => {
    const { choices } = await getDocument('chat/completions', { ...user(content), tools });
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [{ function: { name: 'add', arguments: given } }] },
    });
  });

  test.each([
    ['another function', user('call remove {}'), tools],
    ['no function', user('call add {}'), []],
    ['its result', { messages: [...user('call add').messages, { role: 'tool', content: '3' }] }, tools],
  ])('%s is no call', async (_, body, given) => {
    const { choices } = await getDocument('chat/completions', { ...body, tools: given });
    expect(choices[0].finish_reason).toBe('stop');
  });
});

describe('a JSON schema', () => {
  const address = {
    type: 'object',
    properties: { city: { type: 'string' }, zip: { type: ['string', 'null'] } },
  };
  test.each([
    { type: 'object', properties: { title: { type: 'string' }, count: { type: 'integer', minimum: 2.5 } } },
    {
      type: 'object',
      properties: { kind: { enum: ['b', 'c'] }, at: { type: 'string', format: 'date-time' } },
    },
    { type: 'object', properties: { home: { $ref: '#/$defs/address' } }, $defs: { address } },
    { type: 'array', items: { anyOf: [{ type: 'null' }, { type: 'boolean' }] }, minItems: 3 },
    { type: 'object', properties: { a: { allOf: [address, { properties: { b: { const: 4 } } }] } } },
    { type: 'string', minLength: 30 },
    { type: 'number', exclusiveMinimum: 4 },
  ])('%j is satisfied', (schema) => {
    const withAll = JSON.parse(JSON.stringify(schema), (_, value: object) =>
      value !== null && typeof value === 'object' && 'properties' in value
        ? { ...value, required: Object.keys((value as { properties: object }).properties) }
        : value,
    );
    const sample = createJsonSample(withAll, 'Hello');
    expect(new Ajv({ strict: false, validateFormats: false }).validate(withAll, sample)).toBe(true);
  });

  test.each([
    { $ref: '#' },
    { properties: Object.fromEntries(Array.from({ length: 10 }, (_, nth) => [`p${nth}`, { $ref: '#' }])) },
    { type: 'array', minItems: 20, items: { $ref: '#' } },
  ])('that refers to itself has an end: %j', (schema) => {
    expect(JSON.stringify(createJsonSample(schema, 'a')).length).toBeLessThan(100_000);
  });

  test('has the text in its first string', async () => {
    const format = { type: 'json_schema', json_schema: { schema: address } };
    const body = { ...user('Oslo'), response_format: format };
    const { choices } = await getDocument('chat/completions', body);
    expect(JSON.parse(choices[0].message.content)).toEqual({ city: 'Oslo', zip: '' });
    const object = await getDocument('chat/completions', {
      ...user('Oslo'),
      response_format: { type: 'json_object' },
    });
    expect(JSON.parse(object.choices[0].message.content)).toEqual({ text: 'Oslo' });
  });
});

test('embeddings are as long as asked, and base64 holds the same floats', async () => {
  const input = ['a', 'b'];
  const floats = await getDocument('embeddings', { input, dimensions: 8 });
  const packed = await getDocument('embeddings', { input, dimensions: 8, encoding_format: 'base64' });
  for (const [nth, { embedding }] of floats.data.entries()) {
    const bytes = Buffer.from(packed.data[nth].embedding, 'base64');
    expect(Array.from({ length: 8 }, (_, at) => bytes.readFloatLE(at * 4))).toEqual(embedding);
    expect(Math.hypot(...embedding)).toBeCloseTo(1, 5);
  }
  expect((await getDocument('embeddings', { input: [1, 2, 3] })).data).toHaveLength(1);
  expect(floats.usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
});
