import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { storableJson, storableText } from './storable-text.ts';

const toEscapes = (json: string): string =>
  json.replaceAll(/[^\u0020-\u007e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('JSON that PostgreSQL stores', () => {
  test.each([
    ['"a\\u0000b"', 'a\ufffdb'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\uD83D\\uDE00 \\uD83D"', '😀 \ufffd'],
    ['"\\ude00\\ud83d"', '\ufffd\ufffd'],
    ['"\\\\u0000"', '\\u0000'],
    ['"\\\\\\u0000"', '\\\ufffd'],
  ])('%s', (json, text) => {
    expect(JSON.parse(storableJson(json))).toBe(text);
  });

  test('has the texts that storableText makes, however they are escaped', () => {
    const texts = fc
      .array(fc.constantFrom('\0', '\\', 'u0000', '\ud83d', '\ude00', '"', 'a', '\n'), { maxLength: 12 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const json = JSON.stringify({ [text]: text });
        for (const written of [json, toEscapes(json)])
          expect(JSON.parse(storableJson(written))).toEqual({ [storableText(text)]: storableText(text) });
      }),
    );
  });
});
