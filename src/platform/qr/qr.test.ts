import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { getContrast } from './contrast.ts';
import type { Rgb } from './png.ts';
import { ERROR_CORRECTIONS, modulesPng, modulesSvg, qrModules, qrPng, qrSvg, qrText } from './qr.ts';
import { decode, getPixels, pixelsOfSvg } from '../../../test/support/qr/decode.ts';

const DATA = 'sandbox:pair:7Qa2mPz8 "<&>';
const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

test('the PNG has the modules of the code, eight pixels each, with white around them', () => {
  const { size, data } = getPixels(qrPng(DATA));
  const expected = encode(DATA, { ecc: 'M', border: 4 });
  expect(size).toBe(expected.size * 8);
  const wrong = Array.from({ length: size * size }, (_, at) => at).filter((at) => {
    const isDark = expected.data[Math.floor(at / size) >> 3]![(at % size) >> 3]!;
    return data[at * 4] !== (isDark ? 0 : 255);
  });
  expect(wrong).toEqual([]);
  expect(decode({ size, data })).toBe(DATA);
});

test('the PNG is one that others read', async () => {
  const { fileTypeFromBuffer } = await import('file-type');
  expect((await fileTypeFromBuffer(qrPng(DATA)))?.mime).toBe('image/png');
});

test('the SVG holds nothing of the data but its code, and the text is lines of one length', () => {
  const svg = qrSvg(DATA);
  expect(svg).toMatch(/^<svg [^>]*viewBox/);
  expect(svg).not.toContain('sandbox');
  expect(decode(pixelsOfSvg(svg, 4))).toBe(DATA);
  const lines = qrText(DATA).trimEnd().split('\n');
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect(lines.join('')).toMatch(/^[ █▀▄]+$/);
});

test.each([64, 65, 100, 250])('a code is read at %i pixels, in color and in each strength', (size) => {
  for (const errorCorrection of ERROR_CORRECTIONS)
    for (const [dark, light] of [
      [BLACK, WHITE],
      [
        [128, 0, 96],
        [255, 240, 200],
      ],
      [[0, 60, 0], null],
    ] as [Rgb, Rgb | null][]) {
      const modules = qrModules('https://a.example/x', errorCorrection);
      const pixels = getPixels(modulesPng(modules, { size, dark, light }));
      expect(pixels.size).toBe(size);
      // Too few pixels for a reader are no fault of ours: four modules more than it has are one pixel each.
      if (size >= 100) expect(decode(pixels)).toBe('https://a.example/x');
      const svg = modulesSvg(modules, { size, dark, light });
      expect(svg).toContain(`width="${size}" height="${size}"`);
      expect(svg.includes('d="M0 0h')).toBe(light !== null);
    }
});

test('there is a pixel for each module, or a fault', () => {
  const modules = qrModules('x'.repeat(300), 'H');
  expect(() => modulesPng(modules, { size: 64, dark: BLACK, light: WHITE })).toThrow(RangeError);
  expect(() => qrModules('x'.repeat(1_274), 'H')).toThrow(RangeError);
});

/** As a camera gives it: blurred at the edges of modules. */
function blurred(pixels: ReturnType<typeof getPixels>): ReturnType<typeof getPixels> {
  const { size, data } = pixels;
  const out = new Uint8ClampedArray(data.length).fill(255);
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++)
      for (let channel = 0; channel < 3; channel++) {
        let sum = 0;
        let count = 0;
        for (let row = Math.max(0, y - 1); row <= Math.min(size - 1, y + 1); row++)
          for (let column = Math.max(0, x - 1); column <= Math.min(size - 1, x + 1); column++) {
            sum += data[(row * size + column) * 4 + channel]!;
            count++;
          }
        out[(y * size + x) * 4 + channel] = sum / count;
      }
  return { size, data: out };
}

test('the contrast that is asked for is one that a reader needs, and an inverted code is not found', () => {
  const modules = qrModules('https://links.example.com/launch');
  const reads = (dark: Rgb, light: Rgb): boolean =>
    decode(blurred(getPixels(modulesPng(modules, { size: modules.length * 4, dark, light })))) !== null;
  const grey = (value: number): Rgb => [value, value, value];
  const readable = [0, 64, 118, 148].map(grey);
  const faint = [170, 200, 230].map(grey);
  expect(readable.every((dark) => getContrast(dark, WHITE) >= 3 && reads(dark, WHITE))).toBe(true);
  expect(faint.some((dark) => getContrast(dark, WHITE) >= 3 || reads(dark, WHITE))).toBe(false);
  expect([getContrast(WHITE, BLACK) < 1, reads(WHITE, BLACK)]).toEqual([true, false]);
  expect(getContrast(BLACK, WHITE)).toBeCloseTo(21);
});
