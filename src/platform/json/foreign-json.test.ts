import { expect, it } from 'vitest';
import { DEFAULT_JSON_BOUNDS, parseForeignJson, tryParseForeignJson } from './foreign-json.ts';
import { parseLossless } from './lossless-json.ts';

const BOUNDS = { bytes: 1000, values: 10, depth: 3 };

/** Parses with a parser that must not run, because the text is beyond its bounds. */
const check = (text: string | Buffer, bounds = BOUNDS): unknown =>
  parseForeignJson(text, bounds, () => {
    throw new Error('it was parsed');
  });

it('parses what JSON.parse does, from text and bytes', () => {
  for (const text of ['1', 'null', '"é\\"]"', '[]', ' {"a": [1, {"b": "\\\\"}], "c": "[[[["} ']) {
    expect(parseForeignJson(text)).toEqual(JSON.parse(text));
    expect(parseForeignJson(Buffer.from(text))).toEqual(JSON.parse(text));
  }
  expect(parseForeignJson('\ufeff{"a":1}')).toEqual({ a: 1 });
  const exact = parseForeignJson('[10.00]', DEFAULT_JSON_BOUNDS, parseLossless);
  expect(JSON.stringify(exact)).toBe('[10.00]');
});

it('refuses what is beyond its bounds before it is parsed', () => {
  for (const [text, fault] of [
    [`"${'x'.repeat(999)}"`, 'too_large'],
    [`"${'é'.repeat(500)}"`, 'too_large'],
    ['[1,2,3,4,5,6,7,8,9,10]', 'too_many_values'],
    ['[[],[],[],[],[],[]]', 'too_many_values'],
    ['{"a":{},"b":{},"c":{},"d":{},"e":{}}', 'too_many_values'],
    ['[[[[]]]]', 'too_deep'],
    ['{"a":{"b":{"c":{}}}}', 'too_deep'],
    // Neither an escaped quote nor a backslash that is escaped itself hides what follows.
    ['["\\"",[],[],[],[],[],[]]', 'too_many_values'],
    ['["\\\\",[],[],[],[],[],[]]', 'too_many_values'],
    // Not JSON at all.
    [','.repeat(11), 'too_many_values'],
    ['[[[[', 'too_deep'],
  ] as const) {
    expect(() => check(text), text).toThrow(expect.objectContaining({ fault }));
    expect(() => check(Buffer.from(text)), text).toThrow(expect.objectContaining({ fault }));
  }
});

it('takes what is at its bounds', () => {
  for (const text of ['[1,2,3,4,5,6,7,8,9]', '[[[1]]]', `"${'x'.repeat(998)}"`])
    expect(parseForeignJson(text, BOUNDS)).toEqual(JSON.parse(text));
});

it('says what is no JSON, or nothing', () => {
  expect(() => parseForeignJson('<html>')).toThrow(
    expect.objectContaining({ fault: 'invalid', detail: expect.stringMatching(/^is not valid JSON: /) }),
  );
  for (const text of ['', '{', '[[[[[[', '"x', '"\\'])
    expect(tryParseForeignJson(text, BOUNDS), text).toBe(undefined);
  expect(tryParseForeignJson('null')).toBe(null);
  // A fault of the parser that is not one of the text is not hidden.
  const broken = () => {
    throw new TypeError('broken');
  };
  expect(() => tryParseForeignJson('1', BOUNDS, broken)).toThrow(TypeError);
});

it('counts values outside of strings alone, whatever the strings contain and however long they are', () => {
  const pieces = ['a', '\\"', '\\\\', ',', '[', '{', ']', 'x'.repeat(63), 'y'.repeat(64), 'é'];
  let state = 1;
  const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 3000; round++) {
    const count = 1 + next(6);
    const strings = Array.from(
      { length: count },
      () => `"${Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join('')}"`,
    );
    const text = `[${strings.join(',')}]`;
    // The list, its items, and the text itself count.
    const values = count + 1;
    expect(parseForeignJson(text, { ...DEFAULT_JSON_BOUNDS, values })).toEqual(JSON.parse(text));
    expect(tryParseForeignJson(text, { ...DEFAULT_JSON_BOUNDS, values: values - 1 })).toBe(undefined);
  }
});
