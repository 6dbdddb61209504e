/** Reads codes as a camera's program does, by a decoder that is not ours, and PNG of a palette to give it pixels. */
import { inflateSync } from 'node:zlib';
import jsqr from 'jsqr';

export interface Pixels {
  size: number;
  /** Red, green, blue and opacity of each. */
  data: Uint8ClampedArray;
}

/** @throws Error for what is no square PNG with one bit a pixel, a palette and no filter */
export function getPixels(png: Buffer): Pixels {
  const parts: Record<string, Buffer> = {};
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    const type = png.toString('latin1', at + 4, at + 8);
    parts[type] = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
  }
  const { IHDR, PLTE, IDAT, tRNS } = parts;
  const size = IHDR!.readUInt32BE(0);
  if (IHDR!.readUInt32BE(4) !== size || IHDR![8] !== 1 || IHDR![9] !== 3) throw new Error('another form');
  const lines = inflateSync(IDAT!);
  const stride = 1 + Math.ceil(size / 8);
  if (lines.length !== stride * size) throw new Error(`${lines.length} bytes for ${size} pixels a side`);
  const data = new Uint8ClampedArray(size * size * 4);
  const colors = new Uint8ClampedArray(
    [0, 1].flatMap((i) => [...PLTE!.subarray(i * 3, i * 3 + 3), tRNS?.[i] ?? 255]),
  );
  const [pixels, palette] = [new Uint32Array(data.buffer), new Uint32Array(colors.buffer)];
  for (let y = 0; y < size; y++) {
    if (lines[y * stride] !== 0) throw new Error('a filter');
    for (let x = 0; x < size; x++)
      pixels[y * size + x] = palette[(lines[y * stride + 1 + (x >> 3)]! >> (7 - (x & 7))) & 1]!;
  }
  return { size, data };
}

/** Pixels of an SVG of ours: a ground, and a path of rectangles `M3 4h2v1H3z`. */
export function pixelsOfSvg(svg: string, scale: number): Pixels {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)![1]);
  const size = side * scale;
  const data = new Uint8ClampedArray(size * size * 4);
  for (const [, fill, path] of svg.matchAll(/<path fill="#([0-9a-f]{6})" d="([^"]*)"/g)) {
    const color = [...Buffer.from(fill!, 'hex'), 255];
    for (const [, x, y, width, height] of path!.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)H\d+z/g))
      for (let row = Number(y) * scale; row < (Number(y) + Number(height)) * scale; row++)
        for (let column = Number(x) * scale; column < (Number(x) + Number(width)) * scale; column++)
          data.set(color, (row * size + column) * 4);
  }
  return { size, data };
}

/** Puts what is transparent on a ground. */
function on(ground: readonly number[], { size, data }: Pixels): Uint8ClampedArray {
  const out = new Uint8ClampedArray(data);
  for (let at = 0; at < size * size * 4; at += 4) if (out[at + 3] === 0) out.set([...ground, 255], at);
  return out;
}

/**
 * What a reader that takes no inverted codes reads; null for nothing.
 * @param ground what lies below a transparent code
 */
export function decode(pixels: Pixels, ground: readonly number[] = [255, 255, 255]): string | null {
  const read = jsqr as unknown as typeof jsqr.default;
  return (
    read(on(ground, pixels), pixels.size, pixels.size, { inversionAttempts: 'dontInvert' })?.data ?? null
  );
}
