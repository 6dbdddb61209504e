import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../../test/support/cpu.ts';
import type { CallOperation } from '../contract/upstream.ts';
import { createEcho } from './echo.ts';
import { toEmbeddings } from './echo-embeddings.ts';
import { BODY_BOUNDS, MAX_HELD_CHARACTERS } from './echo-limits.ts';
import { createJsonSample } from './json-sample.ts';

const echo = createEcho({ paceMs: 0 });
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });

const send = (operation: CallOperation, body: object, signal = new AbortController().signal) =>
  echo.send({
    operation,
    query: '',
    body: Buffer.from(JSON.stringify({ model: 'fairlead/echo', ...body })),
    stream: (body as { stream?: boolean }).stream ?? false,
    traceparent: null,
    signal,
    timeoutMs: 1_000,
    partTimeoutMs: 1_000,
  });

async function* respond(operation: CallOperation, body: object, signal?: AbortSignal) {
  const { body: chunks } = await send(operation, body, signal);
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
    const text = 'é💥a '.repeat(200_000);
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

describe('a schema costs a bounded amount of work and output', () => {
  /** Counts reads of a value: its members, and the names of listed objects. */
  function counted(value: unknown): { value: unknown; reads(): number } {
    let reads = 0;
    const known = new WeakMap<object, object>();
    const wrap = (one: unknown): unknown => {
      if (one === null || typeof one !== 'object') return one;
      if (!known.has(one))
        known.set(
          one,
          new Proxy(one, {
            get(target, name) {
              reads++;
              return wrap(Reflect.get(target, name));
            },
            ownKeys(target) {
              const names = Reflect.ownKeys(target);
              reads += names.length;
              return names;
            },
          }),
        );
      return known.get(one);
    };
    return { value: wrap(value), reads: () => reads };
  }

  const many = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);
  const named = (length: number, item: unknown): object =>
    Object.fromEntries(Array.from({ length }, (_, nth) => [`p${nth}`, item]));
  const self = { $ref: '#' };
  const large = named(20_000, 'x');

  test.each([
    ['properties that refer to the whole', { properties: named(60_000, self) }],
    ['allOf', { allOf: many(60_000, self) }],
    ['anyOf', { anyOf: [...many(60_000, { type: 'null' }), self] }],
    ['anyOf within allOf', { allOf: many(1_000, { anyOf: [...many(50_000, null), {}] }) }],
    ['types', { properties: named(60, { type: many(50_000, 'null') }), allOf: many(1_000, self) }],
    ['items', { type: 'array', minItems: 20, items: { properties: named(60_000, self) } }],
    ['a large const', { type: 'array', minItems: 20, items: { allOf: many(100, { const: large }) } }],
    ['a large enum', { properties: named(1_000, { enum: [large] }) }],
    ['long names', { properties: { ['n'.repeat(100_000)]: self, b: self } }],
    ['padding', { properties: named(2_000, { type: 'string', minLength: 1e9 }) }],
    ['a long reference', { properties: named(2_000, { $ref: `#${'/a'.repeat(100_000)}` }) }],
  ])('%s', (_, schema) => {
    const { value, reads } = counted(schema);
    const json = JSON.stringify(createJsonSample(value, 'Hello'));
    expect(reads()).toBeLessThan(500_000);
    expect(json.length).toBeLessThan(700_000);
  });

  test('a long text is returned once, also where schemas are merged', () => {
    const text = 'a'.repeat(1_000_000);
    const sample = createJsonSample({ allOf: many(50, { type: 'string' }) }, text);
    expect(sample).toBe(text);
  });
});

test('a message that is nearly a tool call takes no more than time in proportion to its length', async () => {
  const tools = [{ type: 'function', function: { name: 'a' } }];
  const contents = ['call a' + ' '.repeat(200_000) + 'x', 'call a {' + '} '.repeat(100_000) + 'x'];
  for (const content of contents) {
    let document: ReturnType<typeof send>;
    expect(cpuMs(() => (document = send('chat/completions', { ...user(content), tools })))).toBeLessThan(
      1_000,
    );
    expect(await document!).toHaveStatus(200);
  }
  const given = '{"a":' + '['.repeat(300_000) + '}';
  const { choices } = await getDocument('chat/completions', { ...user(`call a ${given}`), tools });
  expect(choices[0].message.tool_calls[0].function.arguments).toBe(given);
});

test('a long input is hashed once, however many dimensions it has', () => {
  const input = 'a'.repeat(BODY_BOUNDS.bytes - 1_000);
  const cost = (dimensions: number): number =>
    cpuMs(() => [...toEmbeddings({ model: '', input, dimensions }, { model: '' })]);
  cost(1);
  expect(cost(4_096)).toBeLessThan(10 * cost(1) + 100);
});

describe('more than echo takes is refused as OpenAI refuses', () => {
  const refuse = async (operation: CallOperation, body: object) => {
    const { status, headers, body: chunks } = await send(operation, body);
    const text = (await toArray(chunks)).map((chunk) => Buffer.from(chunk).toString()).join('');
    return { status, headers, error: JSON.parse(text).error };
  };

  test('bytes and values of a body', async () => {
    expect(await refuse('chat/completions', user('a'.repeat(BODY_BOUNDS.bytes)))).toMatchObject({
      status: 413,
      error: {
        message: 'The body is larger than 4194304 bytes, the most that fairlead/echo takes.',
        type: 'invalid_request_error',
        code: 'payload_too_large',
      },
    });
    const tools = Array.from({ length: BODY_BOUNDS.values }, () => ({}));
    expect(await refuse('responses', { input: 'a', tools, stream: true })).toMatchObject({
      status: 413,
      error: { message: 'The body has more than 50000 values, the most that fairlead/echo takes.' },
    });
  });

  test('inputs of embeddings, by their dimensions', async () => {
    const inputs = (length: number): string[] => Array.from({ length }, () => 'a');
    expect(await refuse('embeddings', { input: inputs(65), dimensions: 4_096 })).toMatchObject({
      status: 400,
      error: {
        message: 'input must have at most 64 items for fairlead/echo at 4096 dimensions',
        param: 'input',
        code: 'too_long',
      },
    });
    expect(await refuse('embeddings', { input: inputs(2_049), dimensions: 1 })).toHaveStatus(400);
    const { body } = await send('embeddings', { input: inputs(1_024) });
    const pieces = await toArray(body);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(64 * 1024);
    expect(JSON.parse(Buffer.concat(pieces).toString()).data).toHaveLength(1_024);
  });

  test('streams that hold long texts, until they end', async () => {
    const body = { ...user('a'.repeat(4_000_000)), stream: true };
    const controller = new AbortController();
    for (let held = 4_000_000; held <= MAX_HELD_CHARACTERS; held += 4_000_000)
      expect(await send('chat/completions', body, controller.signal)).toHaveStatus(200);
    expect(await refuse('chat/completions', body)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '5' },
      error: { type: 'requests', code: 'rate_limit_exceeded' },
    });
    expect(await send('chat/completions', { ...user('Hello'), stream: true })).toHaveStatus(200);
    controller.abort();
    expect(await send('chat/completions', body)).toHaveStatus(200);
  });
});

test('a stream of a response repeats its request', async () => {
  const metadata = { ticket: '81' };
  const frames = await getFrames('responses', { input: 'Hello', metadata, tools: [], instructions: null });
  const events = frames.map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)));
  expect(events.map(({ sequence_number: nth }) => nth)).toEqual(events.map((_, nth) => nth));
  expect(events[0]).toMatchObject({
    type: 'response.created',
    response: { metadata, status: 'in_progress' },
  });
  expect(events.at(-1)).toMatchObject({
    type: 'response.completed',
    response: { metadata, tools: [], status: 'completed', usage: { total_tokens: 4 } },
  });
});
