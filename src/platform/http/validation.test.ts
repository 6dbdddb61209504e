import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { CreateApiKey } from '../../core/api-keys/api-key.schema.ts';
import { ChatCompletionBody } from '../../surfaces/models/calls/chat-completion.schema.ts';
import { cpuMs } from '../../../test/support/cpu.ts';
import { readJson } from './json-body.ts';
import { Problem } from './problem.ts';
import { CommaList, Enum, ListQuery, Metadata, Strict, Timestamp } from './schema.ts';
import { Id, IdParams } from '../../core/api/id-schema.ts';
import { inWords } from './pattern-words.ts';
import { compileValidator, isHttpUrl, nearMatch, unstorableText } from './validation.ts';

const faults = (schema: object, value: unknown, where: 'body' | 'querystring' = 'body') => {
  const result = compileValidator(schema, where)(value);
  return 'error' in result ? result.error.errors : [];
};

describe('faults', () => {
  test('are all told at once, each with its place', () => {
    const body = {
      nam: 'x',
      scopes: ['links:fly', 3],
      rate_limit: { limit: 0, burst: 1 },
      metadata: { a: 1 },
    };
    expect(faults(CreateApiKey, body)).toEqual([
      { pointer: '/name', code: 'required', detail: 'is required' },
      { pointer: '/nam', code: 'unknown_field', detail: 'did you mean name?' },
      { pointer: '/scopes/0', code: 'invalid_value', detail: expect.stringContaining('links:read') },
      { pointer: '/scopes/1', code: 'invalid_type', detail: 'must be string' },
      { pointer: '/rate_limit/limit', code: 'out_of_range', detail: 'must be at least 1' },
      { pointer: '/rate_limit', code: expect.any(String), detail: expect.any(String) },
      { pointer: '/metadata/a', code: 'invalid_type', detail: 'must be string' },
    ]);
  });

  test('say how it must be where a text has the wrong form, and nothing of null where it was meant to be something', () => {
    const Quiet = Type.Object({
      instance_id: Id('instance'),
      quiet: Type.Union([
        Type.Object({ from: Type.String({ pattern: '^\\d\\d:\\d\\d$', examples: ['22:00'] }) }),
        Type.Null(),
      ]),
    });
    expect(faults(Quiet, { instance_id: 'Support', quiet: { from: '22' } })).toEqual([
      { pointer: '/instance_id', code: 'invalid_value', detail: 'must be an ID that starts with ins_' },
      { pointer: '/quiet/from', code: 'invalid_value', detail: expect.stringMatching(/, such as 22:00$/) },
    ]);
    expect(faults(Quiet, { instance_id: 'Support', quiet: 3 })).toContainEqual({
      pointer: '/quiet',
      code: 'invalid_type',
      detail: 'must be object',
    });
  });

  test('say what a pattern means in words, and that an empty ID is empty', () => {
    const Route = Type.Object({
      name: Type.String({ pattern: inWords('^[a-z]+$', 'can only contain letters'), examples: ['default'] }),
      api_key_id: Id('api_key'),
    });
    expect(faults(Route, { name: 'My Route!', api_key_id: '' })).toEqual([
      { pointer: '/name', code: 'invalid_value', detail: 'can only contain letters, such as default' },
      { pointer: '/api_key_id', code: 'invalid_value', detail: 'must not be empty' },
    ]);
  });

  test('name the alternatives of a union of objects with one member each once', () => {
    const Limit = Strict({
      limit: Type.Union([Strict({ usd: Type.Number() }), Strict({ calls: Type.Integer() })]),
    });
    const alternatives = [
      { pointer: '/limit', code: 'invalid_value', detail: 'must have exactly one of: usd, calls' },
    ];
    for (const limit of [{}, { usd: 1, calls: 1 }, { euro: 1 }, { usd: 1, euro: 1 }, 5, [], null])
      expect(faults(Limit, { limit })).toEqual(alternatives);
    expect(faults(Limit, { limit: { usd: 'x' }, other: 1 })).toEqual([
      expect.objectContaining({ pointer: '/other', code: 'unknown_field' }),
      { pointer: '/limit/usd', code: 'invalid_type', detail: 'must be number' },
    ]);
    expect(faults(Limit, { limit: { calls: 1.5 } })).toEqual([
      { pointer: '/limit/calls', code: 'invalid_type', detail: 'must be integer' },
    ]);
  });

  test('name the place by a JSON pointer, whatever is in it', () => {
    expect(faults(Strict({}), { 'a/b~c': 1, '': 2 }).map(({ pointer }) => pointer)).toEqual([
      '/a~1b~0c',
      '/',
    ]);
  });

  test('of a query name the parameter', () => {
    const query = { limit: '0', colour: 'red' };
    expect(faults(ListQuery({}), query, 'querystring')).toEqual([
      { pointer: '?colour', code: 'unknown_field', detail: expect.stringContaining('limit') },
      { pointer: '?limit', code: 'out_of_range', detail: 'must be at least 1' },
    ]);
  });

  test('of a repeated parameter say that it must be given once', () => {
    const schema = ListQuery({ state: Enum(['active']), tag: CommaList('Tags.') });
    const query = { limit: ['1', '2'], state: ['active', 'active'], tag: ['a', 'b'] };
    expect(faults(schema, query, 'querystring')).toEqual([
      { pointer: '?limit', code: 'invalid_type', detail: 'must not be repeated' },
      { pointer: '?state', code: 'invalid_type', detail: 'must not be repeated' },
    ]);
  });

  test('of a repeated comma list count all its values', () => {
    const schema = Strict({ tag: CommaList('Tags.', { maxLength: 4 }) });
    const query = { tag: ['a', 'b,c'] };
    expect(faults(schema, query, 'querystring')).toEqual([
      { pointer: '?tag', code: 'too_long', detail: expect.any(String) },
    ]);
    expect(query).toEqual({ tag: 'a,b,c' });
  });

  test.each([
    [{ limit: ['1', '2'] }, '?limit'],
    [{ limit: '' }, '?limit'],
    [{ limit: '1.5' }, '?limit'],
    [{ cursor: 'a'.repeat(201) }, '?cursor'],
    [Object.assign(Object.create(null), { ['__proto__']: '1' }), '?__proto__'],
    [{ constructor: '1' }, '?constructor'],
  ])('%j is refused', (query, pointer) => {
    expect(faults(ListQuery({}), query, 'querystring').map((fault) => fault.pointer)).toContain(pointer);
  });

  test('a prototype has no members that count', () => {
    const schema = Strict({ constructor: Timestamp('x') });
    expect(faults(schema, {})).toEqual([
      { pointer: '/constructor', code: 'required', detail: 'is required' },
    ]);
    expect(faults(IdParams('api_key'), { id: 'x', toString: 'y' })).toHaveLength(1);
  });
});

describe('times', () => {
  const known = (value: unknown) => faults(Timestamp('t'), value).length === 0;
  test.each([
    '2026-01-15T09:30:00Z',
    '2026-01-15T09:30:00.123+05:30',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
  ])('%s is one', (value) => expect(known(value)).toBe(true));
  test.each([
    '9999-12-31T23:59:59-00:01',
    '0001-01-01T00:00:00+00:01',
    '0000-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-15T23:59:60Z',
    '2026-01-15T09:30:00',
    '2026-01-15',
    '1768469400',
    `2026-01-15T09:30:00.${'0'.repeat(100)}Z`,
  ])('%s is none that can be stored and shown again', (value) => expect(known(value)).toBe(false));
});

test.each([
  ['https://a.example/x?y#z', true],
  ['http://[::1]:80', true],
  ['https://ä.example', true],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['//a.example', false],
  ['https://', false],
  ['https://a.example/\n', false],
  [' https://a.example', false],
  ['https://a.example:99999', false],
])('%s as an address: %s', (text, expected) => expect(isHttpUrl(text)).toBe(expected));

describe('metadata', () => {
  test.each([
    { ['k'.repeat(41)]: 'v' },
    { k: 'v'.repeat(501) },
    { k: 1 },
    { k: null },
    { 'a\nb': { deep: 'v' } },
    Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v'])),
  ])('%j is refused', (value) => expect(faults(Metadata, value)).not.toEqual([]));
  test.each<object>([
    {},
    { k: '' },
    { constructor: 'v', toString: 'v' },
    { ['é'.repeat(40)]: '💥'.repeat(500) },
  ])('%j is taken', (value) => expect(faults(Metadata, value)).toEqual([]));
});

describe('huge bodies', () => {
  test.each([
    [
      'items of the wrong type',
      CreateApiKey,
      { name: 'k', scopes: Array.from({ length: 300_000 }, () => ({})) },
    ],
    [
      'items that are not known',
      CreateApiKey,
      { name: 'k', scopes: Array.from({ length: 80_000 }, () => 'x') },
    ],
    [
      'messages',
      ChatCompletionBody,
      { model: 'm', messages: Array.from({ length: 1_000_000 }, () => ({ role: 1 })) },
    ],
    [
      'members',
      CreateApiKey,
      Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => [`k${index}`, 1])),
    ],
    [
      'metadata',
      CreateApiKey,
      {
        name: 'k',
        metadata: Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => [`k${index}`, 1])),
      },
    ],
  ])('of %s are refused in no time, with one fault at least', (_name, schema, body) => {
    const validate = compileValidator(schema, 'body');
    validate({});
    let result: ReturnType<typeof validate> | undefined;
    expect(cpuMs(() => (result = validate(body)))).toBeLessThan(250);
    expect((result as { error: Problem }).error.errors.length).toBeGreaterThan(0);
  });
});

describe('near matches', () => {
  test.each([
    ['slog', 'slug'],
    ['Name', 'name'],
    ['allowedips', 'allowed_ips'],
    ['expires', 'expires_at'],
  ])('%s is near %s', (name, known) => {
    expect(nearMatch(name, ['slug', 'name', 'allowed_ips', 'expires_at'])).toBe(`did you mean ${known}?`);
  });
  test('nothing is near what is far, or endless', () => {
    expect(nearMatch('colour', ['slug'])).toBe('');
    expect(nearMatch('s'.repeat(100_000), ['slug'])).toBe('');
    expect(nearMatch('x', [])).toBe('');
  });
});

describe('reading JSON', () => {
  const read = (text: string | Buffer) => readJson(Buffer.from(text as string));
  const getCode = (text: string | Buffer): string => {
    try {
      read(text);
      return 'read';
    } catch (error) {
      expect(error).toBeInstanceOf(Problem);
      return (error as Problem).code;
    }
  };

  test.each([
    ['{"__proto__":1}', 'invalid_json'],
    ['{"a":[{"__proto__":{"b":1}}]}', 'invalid_json'],
    ['{"__pr\\u006fto__":1}', 'invalid_json'],
    ['{"\\u005F_proto__":1}', 'invalid_json'],
    ['{"__\\u0070\\u0072\\u006f\\u0074\\u006f__":1}', 'invalid_json'],
    ['{"a":"__proto__"}', 'read'],
    ['{"constructor":{"prototype":1}}', 'read'],
    ['{"a":"\\u0000"}', 'invalid_request'],
    ['{"\\u0000":1}', 'invalid_request'],
    ['{"a":"\\ud800"}', 'invalid_request'],
    ['{"a":"\\ud83d\\udca5"}', 'read'],
    ['{"a":"\\\\u0000"}', 'read'],
    ['{"a":1', 'invalid_json'],
    ['{"a":1}}', 'invalid_json'],
    ['NaN', 'invalid_json'],
    [`${'['.repeat(64)}${']'.repeat(64)}`, 'read'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'invalid_json'],
    [`{"a":"${'['.repeat(1_000)}"}`, 'read'],
    [`{"a":"\\"${'['.repeat(1_000)}"}`, 'read'],
    ['['.repeat(1_000_000), 'invalid_json'],
    ['', 'read'],
  ])('%.60s: %s', (text, code) => expect(getCode(text)).toBe(code));

  test('an empty body is none; a byte order mark is passed over', () => {
    expect(read('')).toBeUndefined();
    expect(read('\ufeff{"a":1}')).toEqual({ a: 1 });
    expect(getCode(Buffer.from('{"a":"\xff"}', 'latin1'))).toBe('invalid_json');
  });

  test('no object gets another prototype', () => {
    expect(getCode('{"a":{"__proto__":{"polluted":1}}}')).toBe('invalid_json');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('all text that cannot be stored is told, with its place', () => {
    expect(unstorableText({ a: ['x', '\0'], 'b\0': '\udc00' }).map(({ pointer }) => pointer)).toEqual([
      '/a/1',
      '/b',
      '/b',
    ]);
  });
});
