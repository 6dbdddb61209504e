import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_BYTES, toPayload } from './event-payload.ts';

const bytes = (json: string): number => Buffer.byteLength(json);

describe('event payload', () => {
  it('leaves alone what fits, to the last byte', () => {
    const empty = bytes(JSON.stringify({ object: { text: '' } }));
    const just = toPayload({ object: { text: 'x'.repeat(MAX_BYTES - empty) } });
    expect([bytes(just.json), just.truncated]).toEqual([MAX_BYTES, false]);
    expect(toPayload({ object: { text: 'x'.repeat(MAX_BYTES - empty + 1) } }).truncated).toBe(true);
  });

  it('cuts what is large, keeps what is small', () => {
    const { json, truncated } = toPayload({
      object: { id: 'msg_1', object: 'message', text: { body: 'ü'.repeat(400_000) }, to: 'alice' },
    });
    const { object } = JSON.parse(json);
    expect(truncated).toBe(true);
    expect(object).toMatchObject({ id: 'msg_1', object: 'message', to: 'alice' });
    expect(object.text.body).toHaveLength(16_384);
  });

  it.each([
    ['many texts', Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}`, 'x'.repeat(5000)]))],
    ['a long array', Array.from({ length: 100_000 }, (_, i) => i)],
    [
      'arrays of arrays',
      Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => 'y'.repeat(50))),
    ],
    ['long names', { ['n'.repeat(300_000)]: 1 }],
    ['wide characters', '😀'.repeat(200_000)],
    ['escapes', '\u0001'.repeat(200_000)],
  ])('fits in every case: %s', (_name, content) => {
    const { json, truncated } = toPayload({ object: { id: 'lnk_1', object: 'link', content } });
    expect(truncated).toBe(true);
    expect(bytes(json)).toBeLessThanOrEqual(MAX_BYTES);
    expect(JSON.parse(json).object).toMatchObject({ id: 'lnk_1', object: 'link' });
  });

  it('fits for whatever JSON there is', () => {
    const large = fc.array(fc.string({ minLength: 2000, maxLength: 40_000 }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(large, fc.jsonValue(), fc.dictionary(fc.string(), large))),
        (object) => {
          const { json } = toPayload({ object, also: { object } } as { object: object });
          expect(bytes(json)).toBeLessThanOrEqual(MAX_BYTES);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('replaces what the database refuses', () => {
    const { json } = toPayload({ object: { a: 'x\0y', b: '\ud83d', ['k\0']: 'ok', c: '😀', d: '\\u0000' } });
    expect(JSON.parse(json).object).toEqual({
      a: 'x\ufffdy',
      b: '\ufffd',
      ['k\ufffd']: 'ok',
      c: '😀',
      d: '\\u0000',
    });
  });
});
