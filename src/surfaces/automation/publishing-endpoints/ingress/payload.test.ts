import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../../../platform/http/problem.ts';
import { unstorableText } from '../../../../platform/http/validation.ts';
import { generateSecret } from '../../../../platform/crypto/api-key-secret.ts';
import { MAX_BODY, readPayload } from './payload.ts';
import { getVisibleHeaders, getVisibleQuery } from './request-variables.ts';

const read = async (type: string | undefined, body: string | Buffer, more: object = {}) =>
  (await readPayload({ 'content-type': type, ...more }, Buffer.from(body as string))).payload;

const getRejection = async (type: string | undefined, body: string | Buffer, more: object = {}) => {
  try {
    return `read as ${JSON.stringify(await read(type, body, more))}`;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code;
  }
};

const FORM = 'application/x-www-form-urlencoded';

/** A form of parts, as a client would send it. */
async function parts(...fields: [string, string | Blob, string?][]): Promise<[string, Buffer]> {
  const form = new FormData();
  for (const [name, value, file] of fields)
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, file);
  const response = new Response(form);
  return [response.headers.get('content-type')!, Buffer.from(await response.arrayBuffer())];
}

describe('JSON', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/cloudevents+json',
  ])('as %s is its value', async (type) => {
    expect(await read(type, '{"a": {"b": [1, null]}}')).toEqual({ a: { b: [1, null] } });
    expect(await read(type, '[1]')).toEqual([1]);
    expect(await read(type, '"text"')).toBe('text');
    expect(await read(type, 'null')).toBeNull();
  });

  test('is refused where it is none, too deep, or could not be stored', async () => {
    expect(await getRejection('application/json', '{"a":')).toBe('invalid_json');
    expect(await getRejection('application/json', Buffer.of(0x22, 0xff, 0x22))).toBe('invalid_json');
    expect(await getRejection('application/json', '{"__proto__": {"x": 1}}')).toBe('invalid_json');
    expect(await getRejection('application/json', '['.repeat(100) + ']'.repeat(100))).toBe('invalid_json');
    expect(await getRejection('application/json', `[${'0,'.repeat(500_001)}0]`)).toBe('payload_too_large');
  });
});

test('plain text that is a JSON object is that object, and any other is text', async () => {
  for (const [type, text, payload] of [
    ['text/plain', '{"Type":"Notification","Message":"m"}', { Type: 'Notification', Message: 'm' }],
    ['text/plain; charset=UTF-8', ' {"id": 1}\n', { id: 1 }],
    ['text/plain', '[1]', { text: '[1]' }],
    ['text/plain', '{{ name }}', { text: '{{ name }}' }],
    ['text/plain', '{"__proto__": {}}', { text: '{"__proto__": {}}' }],
    ['text/plain', '"text"', { text: '"text"' }],
    ['text/plain; charset=iso-8859-1', '{"id": 1}', { text: '{"id": 1}' }],
    ['text/html', '{"id": 1}', { text: '{"id": 1}' }],
  ] as const)
    expect([type, text, await read(type, text)]).toEqual([type, text, payload]);
});

test('NUL and unpaired surrogates are replaced and counted, whatever the type', async () => {
  const [type, body] = await parts(['a', 'x\0y']);
  for (const [given, bytes, payload, replaced] of [
    ['application/json', '{"a": ["\\u0000\\u0000"], "b": 1}', { a: ['\ufffd\ufffd'], b: 1 }, 2],
    ['application/json', '{"\\ud800": "\\udc00\\ud800"}', { '\ufffd': '\ufffd\ufffd' }, 3],
    ['application/json', '"\\ud83d\\ude00 \\\\u0000"', '😀 \\u0000', 0],
    [FORM, 'a=%00&b=1', { a: '\ufffd', b: '1' }, 1],
    [FORM, 'payload=%7B%22a%22:%22%5Cud800%22%7D', { a: '\ufffd' }, 1],
    [type, body, { a: 'x\ufffdy' }, 1],
    ['text/plain', 'a\0b', { text: 'a\ufffdb' }, 1],
    [undefined, '{"a": "\\u0000"}', { a: '\ufffd' }, 1],
  ] as const)
    expect(await readPayload({ 'content-type': given }, Buffer.from(bytes as string))).toMatchObject({
      payload,
      replaced,
    });
  const numbers = await readPayload(
    { 'content-type': 'application/json' },
    Buffer.from('{"a": "\\u0000", "id": 8202522731445525542, "price": 10.00}'),
  );
  expect(JSON.stringify(numbers.payload)).toBe('{"a":"\ufffd","id":8202522731445525542,"price":10.00}');
});

describe('a form', () => {
  test('is its fields, as they are written; what comes again makes an array', async () => {
    const body = 'a=1&b%5Bc%5D=x+y&a=2&empty=&%C3%A9=%E2%82%AC&constructor=own';
    expect(await read(FORM, body)).toEqual({
      a: ['1', '2'],
      'b[c]': 'x y',
      empty: '',
      é: '€',
      constructor: 'own',
    });
  });

  test('with nothing but `payload`, which is JSON, is that', async () => {
    const json = JSON.stringify({ action: 'opened', n: 7 });
    expect(await read(FORM, new URLSearchParams({ payload: json }).toString())).toEqual({
      action: 'opened',
      n: 7,
    });
    expect(await read(FORM, new URLSearchParams({ payload: json, b: '1' }).toString())).toEqual({
      payload: json,
      b: '1',
    });
    expect(await read(FORM, 'payload=plain')).toEqual({ payload: 'plain' });
    expect(await getRejection(FORM, 'payload=%7Bbroken%7D')).toBe('invalid_json');
    expect(await getRejection(FORM, 'payload=%7B%22__proto__%22%3A1%7D')).toBe('invalid_json');
  });

  test('that is JSON, as curl sends it with -d, is read as JSON', async () => {
    expect(await read(FORM, '{"title": "Hello & welcome=1"}')).toEqual({ title: 'Hello & welcome=1' });
  });

  test('is refused where it could not be stored, or has too much', async () => {
    expect(await getRejection(FORM, '__proto__=1')).toBe('invalid_request');
    expect(await getRejection(FORM, Buffer.of(0x61, 0x3d, 0xff))).toBe('invalid_request');
    expect(await getRejection(FORM, 'a=1&'.repeat(1_001))).toBe('invalid_request');
    expect(await getRejection(FORM, `${'n'.repeat(201)}=1`)).toBe('invalid_request');
  });
});

describe('a form of parts', () => {
  test('is its fields; of files what is known of them', async () => {
    const file = new Blob(['<svg/>'], { type: 'image/svg+xml' });
    const payload = await read(
      ...(await parts(['a', '1'], ['a', '2'], ['b[c]', 'é'], ['pic', file, 'ü.svg'])),
    );
    expect(payload).toEqual({
      a: ['1', '2'],
      'b[c]': 'é',
      pic: {
        file_name: 'ü.svg',
        mime_type: 'image/svg+xml',
        size: 6,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
  });

  test('a part that says that it is JSON is read so', async () => {
    const part = (type: string, text: string) =>
      `--x\r\ncontent-disposition: form-data; name="event"\r\ncontent-type: ${type}\r\n\r\n${text}\r\n--x--\r\n`;
    const type = 'multipart/form-data; boundary=x';
    expect(await read(type, part('application/json', '{"a":1}'))).toEqual({ event: { a: 1 } });
    expect(await read(type, part('text/plain', '{"a":1}'))).toEqual({ event: '{"a":1}' });
    expect(await getRejection(type, part('application/json', '{"a":'))).toBe('invalid_request');
  });

  test('its boundary is not kept: with each try it is another', async () => {
    const [type, body] = await parts(['a', '1']);
    expect(await readPayload({ 'content-type': type }, body)).toEqual({
      payload: { a: '1' },
      replaced: 0,
      contentType: 'multipart/form-data',
      size: body.length,
    });
  });

  test('is refused where it is none, ends early or has too much', async () => {
    const [type, body] = await parts(['a', '1']);
    expect(await getRejection('multipart/form-data', body)).toBe('unsupported_media_type');
    expect(await getRejection(type, 'no parts')).toBe('unsupported_media_type');
    expect(await getRejection(type, body.subarray(0, -20))).toBe('unsupported_media_type');
    expect(await getRejection(type, '')).toBe('unsupported_media_type');
    expect(await getRejection(...(await parts(['__proto__', '1'])))).toBe('invalid_request');
    const many = Array.from({ length: 1_002 }, (_, nth): [string, string] => [`f${nth}`, '']);
    expect(await getRejection(...(await parts(...many)))).toBe('invalid_request');
    const files = Array.from({ length: 101 }, (_, nth): [string, Blob, string] => [
      `f${nth}`,
      new Blob(['x']),
      'f',
    ]);
    expect(await getRejection(...(await parts(...files)))).toBe('invalid_request');
  });
});

test('text is its text, by its charset', async () => {
  expect(await read('text/plain', 'Hé')).toEqual({ text: 'Hé' });
  expect(await read('text/html; charset="ISO-8859-1"', Buffer.from('Hé', 'latin1'))).toEqual({ text: 'Hé' });
  expect(await getRejection('text/plain', Buffer.from('Hé', 'latin1'))).toBe('invalid_request');
  expect(await getRejection('text/plain; charset=klingon', 'x')).toBe('unsupported_media_type');
});

test('a body without a type is JSON where it looks so, else text; none is an empty object', async () => {
  expect(await read(undefined, ' {"a":1}\n')).toEqual({ a: 1 });
  expect(await read(undefined, 'Hello')).toEqual({ text: 'Hello' });
  for (const type of [undefined, 'application/json', FORM, 'text/plain'])
    expect(await readPayload({ 'content-type': type }, Buffer.alloc(0))).toEqual({
      payload: {},
      replaced: 0,
      contentType: type ?? null,
      size: 0,
    });
});

test('other types are refused, by a list of those that are not', async () => {
  for (const type of [
    'application/xml',
    'image/png',
    'application/octet-stream',
    'json',
    'application/jsonx',
  ])
    await expect(read(type, '{}')).rejects.toThrow(
      /application\/json, application\/x-ndjson, .*application\/x-www-form-urlencoded/,
    );
});

test('JSON and forms are UTF-8', async () => {
  for (const type of ['application/json', FORM]) {
    expect(await getRejection(`${type}; charset=iso-8859-1`, Buffer.from('{"a":"\xe9"}', 'latin1'))).toBe(
      'unsupported_media_type',
    );
    expect(await read(`${type}; charset="UTF-8"`, '{"a":"é"}')).toEqual({ a: 'é' });
  }
});

test('a packed body is unpacked, up to its limit', async () => {
  const packed = (body: string | Buffer, coding = 'gzip') =>
    read('application/json', gzipSync(body), { 'content-encoding': coding });
  expect(await packed('{"a":1}')).toEqual({ a: 1 });
  expect(await read('application/json', '{}', { 'content-encoding': 'identity' })).toEqual({});
  const zeros = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  await expect(readPayload(zeros, gzipSync(Buffer.alloc(MAX_BODY + 1, 48)))).rejects.toMatchObject({
    code: 'payload_too_large',
  });
  await expect(packed('{}', 'zstd')).rejects.toMatchObject({
    code: 'unsupported_media_type',
    headers: { 'accept-encoding': 'gzip, br, deflate' },
  });
  const { size } = await readPayload(zeros, gzipSync('{"a":1}'));
  expect(size).toBe(7);
});

test('whatever comes is read as something that can be stored, or refused', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('application/json', FORM, 'multipart/form-data; boundary=x', 'text/plain', undefined),
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
        fc.string({ unit: 'binary', maxLength: 100 }).map((text) => Buffer.from(text)),
        fc.json().map((text) => Buffer.from(text)),
        fc
          .array(fc.tuple(fc.string(), fc.string({ unit: 'binary' })))
          .map((pairs) =>
            Buffer.from(pairs.map((pair) => pair.map(encodeURIComponentSafely).join('=')).join('&')),
          ),
      ),
      async (type, body) => {
        const payload = await read(type, body).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Problem);
          return {};
        });
        expect(unstorableText(payload)).toEqual([]);
        expect(JSON.stringify(payload)).not.toContain('"__proto__":');
      },
    ),
    { numRuns: 500 },
  );
});

const encodeURIComponentSafely = (text: string): string => encodeURIComponent(text.toWellFormed());

describe('what templates see beside the payload', () => {
  test('headers, but none that prove who sent it or tell of addresses', () => {
    const seen = getVisibleHeaders(
      {
        'user-agent': 'GitHub-Hookshot/1',
        'x-github-event': 'push',
        'content-type': 'application/json',
        authorization: 'Bearer fl_x',
        cookie: 'a=b',
        'x-hub-signature-256': 'sha256=…',
        'stripe-signature': 't=1',
        'x-gitlab-token': 'secret',
        'x-api-key': 'secret',
        'proxy-authorization': 'x',
        'x-forwarded-for': '198.51.100.7',
        'x-real-ip': '198.51.100.7',
        'x-proof': 'of the scheme',
        __proto__: 'x',
      },
      ['x-proof'],
    );
    expect(seen).toEqual({
      'user-agent': 'GitHub-Hookshot/1',
      'x-github-event': 'push',
      'content-type': 'application/json',
    });
  });

  test('no API key or session token of this server, and nothing that a proxy says of a person', () => {
    const key = generateSecret();
    const token = `${'a'.repeat(32)}.${'b'.repeat(43)}=`;
    const seen = getVisibleHeaders({
      'x-event': `made by ${key}`,
      'x-trace': encodeURIComponent(token),
      'x-amzn-oidc-data': 'x',
      'remote-user': 'ada',
      referer: 'https://fairlead.example/user/api/reset-password?token=x',
    });
    expect(seen).toEqual({
      'x-event': 'made by fl_[removed]',
      'x-trace': '[removed]',
      referer: 'https://fairlead.example/',
    });
    expect(getVisibleQuery(`/in/x?a=${key}&b=${encodeURIComponent(token)}`)).toEqual({
      a: 'fl_[removed]',
      b: '[removed]',
    });
  });

  test('at most 50, of 1,000 characters each, that can be stored', () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, nth) => [`x-${nth}`, 'v'.repeat(2_000)]));
    const seen = Object.values(getVisibleHeaders(many));
    expect(seen).toHaveLength(50);
    expect(seen.every((value) => value.length === 1_000)).toBe(true);
    expect(unstorableText(getVisibleQuery('/in/x?a=%00&%00=1&b=%ED%A0%80'))).toEqual([]);
  });

  test('parameters of the query, but none that look secret; of one that comes again the last', () => {
    expect(getVisibleQuery('/in/x?a=1&a=2&token=x&api_key=x&key=x&sig=x&b=c%20d&__proto__=1')).toEqual({
      a: '2',
      b: 'c d',
    });
    expect(getVisibleQuery('/in/x')).toEqual({});
  });
});
