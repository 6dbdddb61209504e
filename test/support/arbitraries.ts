/** Values for a JSON schema: what it allows, what it nearly allows, and what nobody expects. */
import fc, { type Arbitrary } from 'fast-check';
import type { Json } from './api-document.ts';

/** Text that has broken something somewhere before. */
const STRANGE_TEXT = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udc00y',
  '\ufeff',
  '\u202e\u0007\u001b[31m',
  '💥👩‍👩‍👧‍👦é\u0301',
  'ﷺ'.repeat(30),
  'null',
  '__proto__',
  'constructor',
  '-1',
  '1e309',
  "'; drop table api_keys; --",
  '%s%n%00',
  '../../etc/passwd',
  '{{7*7}}${7*7}',
  '<script>alert(1)</script>',
  'a'.repeat(5_000),
  ' '.repeat(20_000),
  '-'.repeat(20_000),
  'a@'.repeat(2_000),
];

const STRANGE_TIMES = [
  '9999-12-31T23:59:59.999-23:59',
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+23:59',
  '0001-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '2026-02-30T00:00:00Z',
  '2026-01-15T23:59:60Z',
  '2026-01-15t09:30:00z',
  '2026-01-15 09:30:00Z',
  '2026-01-15T09:30:00',
  '275760-09-13T00:00:00Z',
];

const STRANGE_PARTS = [
  '0.0.0.0/0',
  '::/0',
  '::ffff:10.0.0.1/95',
  'fe80::1%eth0',
  '010.0.0.1',
  '10.1',
  '1.2.3.4/33',
  'https://a.example:99999',
  'https://u:p@a.example',
  'https://[::1]',
  'https://xn--',
  'HTTPS://A.EXAMPLE/',
  '"a b"@example.com',
  'a@b.c.',
  'ä@exämple.com',
];

const NUMBERS = [0, -0, 1, -1, 0.5, 2 ** 31, -(2 ** 31), 2 ** 53, 1e21, 1e308, -1e308, 5e-324];

/** Anything at all; JSON.stringify turns half surrogates into escapes, and `__proto__` is a name like any other. */
export const strange: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...STRANGE_TEXT),
  fc.constantFrom(...STRANGE_TIMES, ...STRANGE_PARTS),
  fc.constantFrom<unknown>(...NUMBERS, null, true, false, [], {}, [[[[[[[[]]]]]]]], [null], { '': '' }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc
    .constantFrom('__proto__', 'constructor', 'prototype', 'toString', '')
    .map((name) => Object.fromEntries([[name, { isAdmin: true }]])),
);

export const strangeText: Arbitrary<string> = strange.map((value) =>
  typeof value === 'string' ? value : JSON.stringify(value),
);

const FORMATS: Record<string, Arbitrary<string>> = {
  'date-time': fc.oneof(
    fc
      .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    fc.constantFrom(...STRANGE_TIMES),
  ),
  email: fc.emailAddress(),
  uuid: fc.uuid(),
  'http-url': fc.webUrl(),
};

/** Short texts of each length are tried, the longest allowed too, never all the length between. */
function textFor({ pattern, format, examples, minLength = 0, maxLength = 1_000 }: Json): Arbitrary<string> {
  const known = FORMATS[format as string];
  if (known) return known;
  // What a pattern that looks ahead matches can't be made; then its examples are mutated.
  if (pattern && /\(\?[=!<]/.test(pattern)) return fc.constantFrom<string>(...(examples ?? ['text']));
  if (pattern && pattern !== '\\S')
    return fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, maxLength));
  const short = fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, 30)),
  });
  const max = 'é'.repeat(Math.min(maxLength, 100_000));
  const odd = fc
    .constantFrom('\0', '\ud800', '\u2028', '\u202e', '💥', "'")
    .map((text) => `a${text}`.padEnd(minLength, 'b').slice(0, maxLength));
  return fc.oneof(
    { arbitrary: short, weight: 8 },
    { arbitrary: fc.constant(max), weight: 1 },
    { arbitrary: odd, weight: 2 },
  );
}

function objectFor(schema: Json, resolve: (part: Json) => Json): Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, patternProperties } = schema;
  const named = fc.record(
    Object.fromEntries(
      Object.entries<Json>(properties).map(([name, part]) => [name, validFor(part, resolve)]),
    ),
    { requiredKeys: required },
  );
  const further = Object.values<Json>(patternProperties ?? {})[0] ?? additionalProperties;
  if (!further || typeof further !== 'object') return named;
  const max = Math.min(schema.maxProperties ?? 5, 5);
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), validFor(further, resolve), {
    maxKeys: max,
  });
}

/** Values that the schema allows (now and then only nearly: a pattern and a length are not always both met). */
export function validFor(given: Json, resolve: (part: Json) => Json): Arbitrary<unknown> {
  const schema = resolve(given);
  if (schema === true || Object.keys(schema).length === 0) return fc.jsonValue({ maxDepth: 2 });
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom<unknown>(...schema.enum);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return fc.oneof(...branches.map((part: Json) => validFor(part, resolve)));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type: string) => validFor({ ...schema, type }, resolve)));
  switch (schema.type) {
    case 'string':
      return textFor(schema);
    case 'integer':
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 }),
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 1),
      );
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(validFor(schema.items ?? true, resolve), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case 'object':
      return objectFor(schema, resolve);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

type Change = (value: Json, at: number, by: unknown) => Json;

/** One change somewhere within: a member replaced, left out, added, or repeated. */
const CHANGES: Change[] = [
  (_value, _at, by) => by,
  (value, at, by) => within(value, at, () => by),
  (value, at, by) => within(value, at, (inner) => (Array.isArray(inner) ? [...inner, by] : by)),
  (value, at) => within(value, at, () => undefined),
  (value, at, by) => addMember(value, at, by),
  (value, at) => within(value, at, repeated),
];

/** Longer than any accepted body; several changes of long texts would make one longer than a string can be. */
const MAX_REPEATED = 2_000_000;

function repeated(inner: Json): Json[] {
  const size = JSON.stringify(inner)?.length ?? 1;
  return Array.from({ length: Math.ceil(Math.min(120, MAX_REPEATED / size)) }, () => inner);
}

function within(value: Json, at: number, change: (inner: Json) => Json): Json {
  if (value === null || typeof value !== 'object') return change(value);
  const names = Object.keys(value);
  if (!names.length) return change(value);
  const name = names[at % names.length]!;
  const deeper = at > 20 ? within(value[name], Math.floor(at / 3), change) : change(value[name]);
  if (Array.isArray(value)) return value.with(Number(name), deeper);
  return Object.fromEntries(names.map((each) => [each, each === name ? deeper : value[each]]));
}

function addMember(value: Json, at: number, by: unknown): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const names = [
    '__proto__',
    'constructor',
    'nam',
    'metadata',
    'id',
    '',
    'workspace_id',
    'a'.repeat(300),
    '\u0000',
  ];
  return Object.fromEntries([...Object.entries(value), [names[at % names.length], by]]);
}

/** What the schema allows, with up to three changes. */
export const nearlyValidFor = (schema: Json, resolve: (part: Json) => Json): Arbitrary<unknown> =>
  fc
    .tuple(
      validFor(schema, resolve),
      fc.array(fc.tuple(fc.nat(CHANGES.length - 1), fc.nat(100), strange), { maxLength: 3 }),
    )
    .map(([value, changes]) =>
      changes.reduce<Json>((so, [kind, at, by]) => CHANGES[kind]!(so, at, by), value),
    );
