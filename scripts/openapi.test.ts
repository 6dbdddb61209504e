/** The document as programs of others read it: small, and with patterns that mean the same in every engine. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printableDocument } from './openapi.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- a document is any JSON
type Json = any;

const MAX_BYTES = 1_200_000;
const RUNS = 500;
const document: Json = printableDocument();

test('has at most 1.2 MB', () => {
  expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(MAX_BYTES);
});

const patterns = new Set<string>();
JSON.stringify(document, (name, value: unknown) => {
  if (name === 'pattern' && typeof value === 'string') patterns.add(value);
  return value;
});

/** Spaces, separators and controls of several blocks, halves of pairs, and characters outside the basic plane. */
const ODD = [...' ,/-_a1A\t\n\0\u007f\u0085\u009f\u00a0\u2028\u2029\ufeff😀\u{10ffff}', '\ud83d', '\ude00'];
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...ODD), maxLength: 8 }),
  fc.string({ unit: fc.oneof(fc.constantFrom(...ODD), fc.constantFrom('p', 'b')), maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

describe('patterns', () => {
  test('are there', () => expect(patterns.size).toBeGreaterThan(40));

  test.for([...patterns])('%s is without categories, look-behind and flags', (pattern) => {
    expect(pattern).not.toMatch(/\\[pP]\{|\(\?<|\(\?[a-z-]+[:)]|\\u\{/);
  });

  test.for([...patterns])('%s means the same with and without the flag u', (pattern) => {
    const [unicode, plain] = [new RegExp(pattern, 'u'), new RegExp(pattern)];
    fc.assert(
      fc.property(text, (given) => unicode.test(given) === plain.test(given)),
      { numRuns: RUNS },
    );
  });

  const { schemas } = document.components;
  test.for([
    ['names of tags', schemas.Tag.properties.name, '^ *[^,\\s\\p{Cc}\\p{Cs}][^,\\p{Cc}\\p{Cs}]*$'],
    [
      'names of models',
      schemas.ModelProviderModel.properties.id,
      '^(?=\\S)[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]*[^\\s\\p{Cc}\\p{Cs}]$',
    ],
    ['IDs of models', schemas.ApiKey.properties.allowed_models.items, '^[^\\s/\\p{Cc}]+/[^\\p{Cc}\\p{Cs}]+$'],
  ] as [string, Json, string][])(
    '%s are those that Unicode’s categories describe',
    ([, schema, category]) => {
      const [shown, meant] = [new RegExp(schema.pattern), new RegExp(category, 'u')];
      expect(schema.pattern).not.toBe(category);
      fc.assert(
        fc.property(
          fc.oneof(
            text,
            fc.tuple(text, text).map((parts) => parts.join('/')),
          ),
          (given) => {
            expect(shown.test(given)).toBe(meant.test(given));
          },
        ),
        { numRuns: 5 * RUNS },
      );
    },
  );
});
