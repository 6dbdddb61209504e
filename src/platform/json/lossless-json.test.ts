import { expect, it } from 'vitest';
import { compareDecimals, ExactNumber } from './exact-number.ts';
import { NumberTooLong, parseLossless } from './lossless-json.ts';

const CHANGED = [
  '8202522731445525542',
  '-8202522731445525543',
  '10.00',
  '-0.0',
  '-0',
  '1e400',
  '1E5',
  '0.0000001',
  '0.12345678901234567890',
  '9007199254740993',
];
const KEPT = ['0', '-1', '10', '1.5', '9007199254740991', '0.1', '1e+21', '1e-7', '123456.789012345'];

it.each([
  ...CHANGED.map((source) => [source, true] as const),
  ...KEPT.map((source) => [source, false] as const),
])('writes %s as it was read', (source, isExact) => {
  for (const text of [source, `[${source}]`, `{"a":${source},"b":[0,${source}]}`, `{"a":{"b":${source}}}`])
    expect(JSON.stringify(parseLossless(text))).toBe(text);
  const spaced = parseLossless(`{ "a" :\n\t${source} }`) as { a: unknown };
  expect(spaced.a instanceof ExactNumber).toBe(isExact);
  expect(Number(spaced.a)).toBe(Number(source));
});

it('parses all else as JSON.parse does', () => {
  const text =
    '{"text":"id: 8202522731445525542, 10.00","__proto__":{"n":10.00},"list":[null,true,"x",{}],"n":1}';
  const value = parseLossless(text) as Record<string, unknown>;
  expect(JSON.stringify(value)).toBe(text);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(() => parseLossless('{"a":10.00')).toThrow(SyntaxError);
  expect(() => parseLossless('01.00')).toThrow(SyntaxError);
});

it('refuses all that JSON.parse refuses, and says the same', () => {
  for (const text of [
    '{10.00:1}',
    '{10.00 :1}',
    '{"a":1,10.00\n:1}',
    '{10.00}',
    '[1 10.00]',
    '[10.00 10.00]',
    '[10.00"x"]',
    '["x"10.00]',
    '[10.00,]',
    '[+10.00]',
    '[--10.00]',
    '[10.00.00]',
    '[010.00]',
    '[10.00true]',
    '[tru10.00]',
    '[10.00[1]]',
    '10.00,',
    '["10.00',
    '',
  ]) {
    const refuse = (parse: (text: string) => unknown): string => {
      try {
        return `it parsed ${JSON.stringify(parse(text))}`;
      } catch (error) {
        return String(error);
      }
    };
    expect(refuse(parseLossless)).toBe(refuse(JSON.parse));
  }
});

it('finds each number among strings, names and values of all kinds', () => {
  const pieces = [
    ...CHANGED,
    ...KEPT,
    'null',
    'true',
    '"10.00"',
    '"\\"1e400,"',
    '"é 10.00"',
    '{}',
    '[]',
    '"__proto__"',
  ];
  let state = 1;
  const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  const write = (depth: number): string => {
    const kind = depth === 4 ? 0 : next(4);
    if (kind < 2) return pieces[next(pieces.length)]!;
    const items = Array.from({ length: next(5) }, (_, nth) => ({
      name: `"k${nth}\\" 10.00"`,
      text: write(depth + 1),
    }));
    return kind === 2
      ? `[${items.map(({ text }) => text).join(',')}]`
      : `{${items.map(({ name, text }) => `${name}:${text}`).join(',')}}`;
  };
  for (let round = 0; round < 3000; round++) {
    const text = write(0);
    expect(JSON.stringify(parseLossless(text))).toBe(text);
  }
  const deep = `${'['.repeat(500)}10.00${']'.repeat(500)}`;
  expect(JSON.stringify(parseLossless(deep))).toBe(deep);
});

it('refuses numbers that would take more room than they are worth', () => {
  for (const source of [
    '1e999999999',
    '-1E-999999999',
    '9'.repeat(100_000),
    '1e1000',
    `0.${'1'.repeat(1000)}`,
  ])
    expect(() => parseLossless(`{"a":${source}}`)).toThrow(NumberTooLong);
  const many = (count: number) => `[${Array(count).fill('1e999').join(',')}]`;
  expect(parseLossless(many(1000))).toHaveLength(1000);
  expect(() => parseLossless(many(2000))).toThrow(NumberTooLong);
  expect(parseLossless(many(2000), Infinity)).toHaveLength(2000);
});

it('compares decimals by their values', () => {
  for (const [one, other, expected] of [
    ['8202522731445525542', '8202522731445525543', -1],
    ['10.00', '10', 0],
    ['1e400', '1e399', 1],
    ['-1e400', '5', -1],
    ['-0.0', '0', 0],
    ['1e-7', '0.0000001', 0],
    ['0.30', '0.3', 0],
    ['9007199254740993', '9007199254740992', 1],
  ] as const) {
    expect([one, other, compareDecimals(one, other)]).toEqual([one, other, expected]);
    expect(compareDecimals(other, one)).toBe(-expected || 0);
  }
});

it('compares with plain numbers, and as a number with all else', () => {
  const ten = new ExactNumber('10.00');
  expect([ten.equals(10), ten.geq(10), ten.leq(10), ten.gt(10), ten.lt(10)]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  const big = new ExactNumber('9007199254740993');
  expect([big.equals(9007199254740992), big.gt(9007199254740992), big.lt(Infinity)]).toEqual([
    false,
    true,
    true,
  ]);
  expect([ten.equals('10.00'), ten.equals(null), ten.gt('9'), ten.gt({}), ten.lt(undefined)]).toEqual([
    false,
    false,
    true,
    false,
    false,
  ]);
});
