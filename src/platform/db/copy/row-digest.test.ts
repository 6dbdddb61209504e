/** Tests digests of rows that are split into chunks, and of rows that are made impossibly long. */
import { expect, test } from 'vitest';
import { createRowDigest } from './row-digest.ts';

const MIB = 1024 * 1024;

test('a row in pieces, whose memory is used again, is the same row', () => {
  const whole = createRowDigest();
  whole.add(Buffer.from('one\ttwo\nthree\n'));
  const cut = createRowDigest();
  const memory = Buffer.alloc(4);
  for (const piece of ['one\t', 'two\n', 'thr', 'ee\n']) {
    memory.fill(0);
    memory.write(piece);
    cut.add(memory.subarray(0, piece.length));
  }
  expect(cut.end()).toEqual(whole.end());
});

test('a row of 512 MiB, which a kilobyte can unpack to in part, takes no memory', () => {
  const digest = createRowDigest();
  const piece = Buffer.alloc(4 * MIB, 'a');
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at < 128; at++) digest.add(piece);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * MIB);
  expect(() => digest.end()).toThrow(/within a row/);
});
