/** Requests to one operation: mostly such as it expects, with strange values, bodies, headers, paths and callers. */
import fc, { type Arbitrary } from 'fast-check';
import type { ApiDocument, ApiOperation, Json, Parameter } from './api-document.ts';
import { nearlyValidFor, strange, strangeText, validFor } from './arbitraries.ts';
import type { Sent } from './send.ts';

export interface FuzzRequest extends Sent {
  /** False where a raw path may have led to another operation or to none. */
  routed: boolean;
}

const RAW_PATH_PARTS = [
  '',
  '.',
  '..',
  '%',
  '%zz',
  '%00',
  '%E0%A4%A',
  '%2e%2e%2f',
  'a/b',
  'a//b',
  '?',
  '#',
  ';a=b',
  '\\',
  '%5c',
  '%c0%ae',
  '*',
  '%2a',
  'a%20b',
  '+',
  "'",
  '%25252f',
];

const percent = (text: string): string => encodeURIComponent(text.toWellFormed());

const encoded = (text: string) => ({ text: percent(text), routed: text !== '' });

const idsFor = ({ example }: Parameter, pool: Record<string, string[]>): string[] => [
  ...(pool[String(example).split('_')[0]!] ?? []),
  String(example),
];

/** Another object's ID, a mangled one, or anything. */
function oddPathPart(
  parameter: Parameter,
  pool: Record<string, string[]>,
): Arbitrary<{ text: string; routed: boolean }> {
  const known = idsFor(parameter, pool);
  const mangled = known.flatMap((id) => [id.toUpperCase(), `${id}0`, id.slice(0, -1)]);
  return fc.oneof(
    fc.constantFrom(...Object.values(pool).flat(), ...mangled).map(encoded),
    strangeText.map((text) => encoded(text.slice(0, 900))),
    fc.constantFrom(...RAW_PATH_PARTS).map((text) => ({ text, routed: false })),
  );
}

const asQuery = (pairs: string[], mark = '?'): string => {
  const text = pairs.filter(Boolean).join('&');
  return text ? mark + text : '';
};

/** Parameters with values that the schema allows: those required, and now and then others. */
function queryFor(operation: ApiOperation, resolve: (part: Json) => Json): Arbitrary<string> {
  const pairs = operation.parameters
    .filter((one) => one.in === 'query')
    .map(({ name, schema, required }) => {
      const pair = validFor(schema, resolve).map((value) => `${name}=${percent(String(value))}`);
      return required
        ? pair
        : fc.oneof({ arbitrary: fc.constant(''), weight: 3 }, { arbitrary: pair, weight: 1 });
    });
  return fc.tuple(...pairs).map((all) => asQuery(all));
}

const ODD_QUERIES = [
  'limit',
  'limit=1&limit=2',
  'limt=1',
  '__proto__=1',
  'constructor=1',
  'a[b]=c',
  '%',
  '%zz=%zz',
  '=',
  '&&&',
  'x=%00',
  '%00=1',
  Array.from({ length: 400 }, (_, index) => `p${index}=1`).join('&'),
];

/** One known parameter with a strange value, or a query that is strange as a whole. */
function oddQuery(operation: ApiOperation): Arbitrary<string> {
  const names = operation.parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  const value = fc.oneof(
    strangeText.map((text) => text.slice(0, 2_000)),
    fc.constantFrom('\0', 'a\0b'),
  );
  const whole = fc.constantFrom(...ODD_QUERIES);
  const pair = names.length
    ? fc.tuple(fc.constantFrom(...names), value).map(([name, text]) => `${name}=${percent(text)}`)
    : whole;
  return fc
    .tuple(
      fc.oneof({ arbitrary: pair, weight: 3 }, { arbitrary: whole, weight: 1 }),
      fc.constantFrom('?', '?', '?', '#', ';'),
    )
    .map(([text, mark]) => asQuery([text], mark));
}

const asJson = (value: unknown): string => JSON.stringify(value) ?? '';

/** Bodies that are not what JSON.stringify makes. */
const RAW_BODIES: (string | Buffer)[] = [
  '',
  '{',
  '{"name":',
  '{"name":"a"}x',
  'NaN',
  "{'name': 'a'}",
  '\ufeff{"name":"a"}',
  '{"name":"a","name":1}',
  '{"__proto__":{"a":1}}',
  '{"__pr\\u006fto__":{"a":1}}',
  '{"limit":1e400}',
  `{"limit":${'9'.repeat(5_000)}}`,
  '['.repeat(100_000),
  '['.repeat(60) + ']'.repeat(60),
  `{"a":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
  `{"name":"${'a'.repeat(1_100_000)}"}`,
  `[${'{},'.repeat(200_000)}{}]`,
  `{"scopes":[${'{},'.repeat(200_000)}{}]}`,
  `{${Array.from({ length: 50_000 }, (_, index) => `"k${index}":1`).join()}}`,
  Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  Buffer.from('{"name":"\xff\xfe"}', 'latin1'),
  Buffer.from('{"name":"a\x00"}', 'latin1'),
];

const expectedBody = ({ body }: ApiOperation): Json => body?.schema ?? { type: 'object', properties: {} };

/** Bodies that the schema allows, and the documented one: random values of some fields rarely get past their checks. */
function expected(operation: ApiOperation, resolve: (part: Json) => Json): Arbitrary<string> {
  const valid = validFor(expectedBody(operation), resolve);
  const example: unknown = operation.body?.example;
  return (example === undefined ? valid : fc.oneof(valid, valid, fc.constant(example))).map(asJson);
}

function oddBody(
  operation: ApiOperation,
  resolve: (part: Json) => Json,
): Arbitrary<string | Buffer | undefined> {
  if (operation.method === 'GET') return fc.constantFrom('{"a":1}', undefined);
  return fc.oneof(
    { arbitrary: nearlyValidFor(expectedBody(operation), resolve).map(asJson), weight: 6 },
    { arbitrary: strange.map(asJson), weight: 1 },
    { arbitrary: fc.constantFrom(...RAW_BODIES), weight: 2 },
    { arbitrary: fc.constant(undefined), weight: 1 },
  );
}

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/json;',
  'APPLICATION/JSON',
  'application/jsonx',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '',
  ';',
  'a',
  'application/json, text/html',
  'application/json; charset="',
];

const HEADERS: Record<string, string[]> = {
  accept: [
    '*/*',
    'application/json',
    'text/html',
    'application/*;q=0',
    ',,;q=',
    '',
    'a'.repeat(4_000),
    'text/event-stream',
  ],
  'if-match': ['"1"', '*', 'W/"1"', '"999999999999999999"', '""', '"1", "2"', 'x', '"\xe9"'],
  'if-none-match': ['"1"', '*', 'W/"1"', ','.repeat(2_000), '"'],
  'idempotency-key': ['a', 'a'.repeat(255), 'a'.repeat(256), '\xe9', '', ' ', 'same', 'same', '"'],
  traceparent: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0', '', 'ff'.repeat(500)],
  'fairlead-workspace': ['', 'ws_', 'ws_01h2xcejqtf2nbrexx3vqjhp41', '\xff', 'ws_'.repeat(1_000)],
  origin: ['null', '', 'https://a.example', 'https://'.repeat(500), 'file://', '\xff'],
  'sec-fetch-site': ['cross-site', 'x'],
  'content-encoding': ['gzip', 'identity'],
  expect: ['100-continue'],
  'x-forwarded-for': [
    'garbage',
    '1.2.3.4, garbage',
    '1.2.3.4:5678',
    'fe80::1%eth0',
    ',,,',
    '::ffff:1.2.3.4',
    "'",
    'unknown',
  ],
  'x-forwarded-host': ['', 'a b', 'evil.example'],
  'x-forwarded-proto': ['', 'javascript', 'https,http'],
  range: ['bytes=0-1'],
  cookie: [
    '',
    '=',
    ';;;',
    'fairlead_api.session_token',
    'fairlead_api.session_token=%',
    'fairlead_api.session_token=a.b',
    'a=b; '.repeat(1_000),
  ],
  'last-event-id': ['-1', 'x', '9'.repeat(50)],
};

const oddHeaders: Arbitrary<Record<string, string>> = fc
  .array(
    fc
      .constantFrom(...Object.keys(HEADERS))
      .chain((name) => fc.constantFrom(...HEADERS[name]!).map((value) => [name, value] as const)),
    { minLength: 1, maxLength: 3 },
  )
  .map(Object.fromEntries);

const SIDES = ['caller', 'path', 'query', 'body', 'type', 'headers'] as const;

export interface FuzzWorld {
  /** Headers of those who call; the first most often. */
  callers: Record<string, string>[];
  /** Prefix of IDs → IDs of real objects. */
  pool: Record<string, string[]>;
}

export function requestsTo(
  operation: ApiOperation,
  document: ApiDocument,
  world: FuzzWorld,
): Arbitrary<FuzzRequest> {
  const { resolve } = document;
  const [usual, ...others] = world.callers;
  const inPath = operation.parameters.filter((one) => one.in === 'path');
  const hasBody = operation.method !== 'GET';
  return fc
    .record({
      /** Where it is odd: mostly in one way, or two, so that the rest of it gets where something can go wrong. */
      odd: fc.subarray([...SIDES], { maxLength: 2 }),
      other: fc.constantFrom(...others),
      known: fc.tuple(...inPath.map((one) => fc.constantFrom(...idsFor(one, world.pool)).map(encoded))),
      oddParts: fc.tuple(...inPath.map((one) => oddPathPart(one, world.pool))),
      query: queryFor(operation, resolve),
      oddQuery: oddQuery(operation),
      body: hasBody ? expected(operation, resolve) : fc.constant(undefined),
      oddBody: oddBody(operation, resolve),
      type: fc.constantFrom(...CONTENT_TYPES),
      headers: oddHeaders,
      address: fc.ipV4(),
    })
    .map(({ odd, ...made }) => {
      const parts = odd.includes('path') ? made.oddParts : made.known;
      const body = odd.includes('body') ? made.oddBody : made.body;
      let path = operation.path;
      for (const [index, { name }] of inPath.entries())
        path = path.replace(`{${name}}`, () => parts[index]!.text);
      const type = odd.includes('type') ? made.type : 'application/json';
      return {
        method: operation.method,
        path: path + (odd.includes('query') ? made.oddQuery : made.query),
        headers: {
          'x-forwarded-for': made.address,
          ...(body === undefined ? {} : { 'content-type': type }),
          ...(odd.includes('caller') ? made.other : usual),
          ...(odd.includes('headers') ? made.headers : {}),
        },
        body,
        routed: parts.every(({ routed }) => routed),
      };
    });
}
