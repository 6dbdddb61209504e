import { inflateSync } from 'node:zlib';
import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { qrPng, qrSvg, qrText } from './qr.ts';

const DATA = 'sandbox:pair:7Qa2mPz8 "<&>';

/** The pixels of a PNG of one grey bit each: true for black. */
function pixelsOf(png: Buffer): boolean[][] {
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  const width = png.readUInt32BE(16);
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const lines = inflateSync(Buffer.concat(parts));
  const stride = width / 8 + 1;
  expect(lines.length).toBe(stride * width);
  return Array.from({ length: width }, (_, y) => {
    expect(lines[y * stride]).toBe(0);
    return Array.from(
      { length: width },
      (__, x) => ((lines[y * stride + 1 + (x >> 3)]! >> (7 - (x & 7))) & 1) === 0,
    );
  });
}

test('the PNG has the modules of the code, eight pixels each, with white around them', () => {
  const pixels = pixelsOf(qrPng(DATA));
  const { data, size } = encode(DATA, { ecc: 'M', border: 4 });
  expect(pixels.length).toBe(size * 8);
  for (const [y, row] of pixels.entries())
    for (const [x, isBlack] of row.entries())
      if (isBlack !== data[y >> 3]![x >> 3]) throw new Error(`pixel ${x},${y} is wrong`);
  expect(pixels.slice(0, 32).flat()).not.toContain(true);
});

test('the PNG is one that others read', async () => {
  const { fileTypeFromBuffer } = await import('file-type');
  expect((await fileTypeFromBuffer(qrPng(DATA)))?.mime).toBe('image/png');
});

test('the SVG holds nothing of the data, and the text is lines of one length', () => {
  const svg = qrSvg(DATA);
  expect(svg).toMatch(/^<svg [^>]*viewBox/);
  expect(svg).not.toContain('sandbox');
  const lines = qrText(DATA).trimEnd().split('\n');
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect(lines.join('')).toMatch(/^[ █▀▄]+$/);
});
