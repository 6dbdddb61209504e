import { recordSpace } from '../../../platform/journal/record-space.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clickIds, decodeClicks, encodeClick, MAX_RECORD_BYTES } from './click-codec.ts';
import type { NewClick } from './click-record.ts';
import { FRAME_HEADER_BYTES, frameAt, frameMark, sealFrame } from '../../../platform/journal/segment.ts';
import { getClick, LINK_ID, WORKSPACE_ID } from '../../../../test/support/links/clicks/journal-clicks.ts';

const JOURNAL = '5d1f3a90-7c1b-4e55-9d5e-0f3f8a1b2c3d';
const mark = frameMark(JOURNAL);

const text = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength }),
    fc.string({ unit: 'grapheme', maxLength: maxLength / 8 }),
  );
const cut = (value: string | null, max: number): string | null =>
  value === null ? null : value.slice(0, max).toWellFormed().replaceAll('\0', '\ufffd');

const clicks = fc.record({
  workspace: fc.uuid(),
  link: fc.uuid(),
  at: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
  visitor: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  isBot: fc.boolean(),
  country: fc.option(text(300)),
  city: fc.option(text(300)),
  userAgent: text(700),
  referrer: fc.option(text(300)),
  language: fc.option(text(300)),
  utm: fc.array(fc.option(text(300)), { minLength: 5, maxLength: 5 }),
  address: fc.option(text(300)),
  destinationUrl: fc.option(text(700)),
});

test('what is encoded is decoded, cut to its bounds, whatever a visitor sent', () => {
  fc.assert(
    fc.property(fc.array(clicks, { maxLength: 8 }), (all) => {
      const space = recordSpace((all.length + 1) * MAX_RECORD_BYTES);
      let end = 0;
      for (const { workspace, link, ...click } of all) {
        const start = end;
        end = encodeClick({ ...click, ids: clickIds(workspace, link) }, space, start);
        expect(end - start).toBeLessThanOrEqual(MAX_RECORD_BYTES);
      }
      expect(decodeClicks(space.bytes.subarray(0, end))).toEqual(
        all.map(({ workspace, link, ...click }) => ({
          ...click,
          workspaceId: workspace,
          linkId: link,
          userAgent: cut(click.userAgent, 512),
          ...Object.fromEntries(
            (['country', 'city', 'referrer', 'language', 'address'] as const).map((name) => [
              name,
              cut(click[name], 254),
            ]),
          ),
          utm: click.utm.map((value) => cut(value, 254)),
          destinationUrl: cut(click.destinationUrl, 500) || null,
        })),
      );
    }),
  );
});

test('halves of a character that meet in the bytes stay where they were', () => {
  const space = recordSpace(MAX_RECORD_BYTES);
  const end = encodeClick(getClick(1, { country: 'a\ud83d', city: '\ude00b' }), space, 0);
  expect(decodeClicks(space.bytes.subarray(0, end))).toMatchObject([{ country: 'a\ufffd', city: '\ufffdb' }]);
});

test('IDs that are no UUIDs are refused where they are made', () => {
  expect(() => clickIds(WORKSPACE_ID, 'lnk_1')).toThrow('not UUIDs');
  expect(() => clickIds('', LINK_ID)).toThrow('not UUIDs');
});

function buildFrame(all: NewClick[]): Buffer {
  const space = recordSpace(FRAME_HEADER_BYTES + all.length * MAX_RECORD_BYTES);
  const end = all.reduce((start, click) => encodeClick(click, space, start), FRAME_HEADER_BYTES);
  sealFrame(space.bytes, end, mark);
  return space.bytes.subarray(0, end);
}

test('any flipped bit of a frame is noticed, and any cut', () => {
  const frame = buildFrame([getClick(1), getClick(2)]);
  const followed = Buffer.concat([frame, Buffer.alloc(64)]);
  expect(frameAt(followed, 0, mark)).toBe(frame.length);
  for (let bit = 0; bit < frame.length * 8; bit++) {
    const flipped = Buffer.from(followed);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    expect(frameAt(flipped, 0, mark), `bit ${bit}`).toBeLessThanOrEqual(0);
  }
  for (let length = 0; length < frame.length; length++) {
    expect(frameAt(frame.subarray(0, length), 0, mark), `${length} bytes`).toBeLessThan(0);
    const zeroed = Buffer.from(followed).fill(0, length);
    const isWhole = zeroed.equals(followed); // its last bytes may be zeros by themselves
    if (!isWhole) expect(frameAt(zeroed, 0, mark), `${length} bytes, then zeros`).toBeLessThanOrEqual(0);
  }
});

test('another journal has other frames', () => {
  const frame = buildFrame([getClick(1)]);
  expect(frameAt(frame, 0, frameMark('6d1f3a90-7c1b-4e55-9d5e-0f3f8a1b2c3d'))).toBe(0);
});
