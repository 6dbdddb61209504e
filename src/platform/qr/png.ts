/** PNG of two colors, one bit a pixel, one chunk of data. https://www.w3.org/TR/png-3/ */
import { crc32, deflateSync } from 'node:zlib';

/** Red, green, blue, each 0 to 255. */
export type Rgb = readonly [number, number, number];

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

export interface Picture {
  /** True for dark; as many columns as rows. */
  modules: readonly (readonly boolean[])[];
  /** Pixels per side. The remainder that does not fit whole modules is light, equally wide on all sides. */
  size: number;
  dark: Rgb;
  /** Null: transparent. */
  light: Rgb | null;
}

/** @throws RangeError where there are more modules than pixels */
export function toPng({ modules, size, dark, light }: Picture): Buffer {
  /** Pixels that a module takes on each side. */
  const scale = Math.floor(size / modules.length);
  if (scale < 1) throw new RangeError(`${modules.length} modules are more than ${size} pixels`);
  const before = Math.floor((size - scale * modules.length) / 2);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header[8] = 1; // bits a pixel
  header[9] = 3; // by palette; the defaults of compression, filter and interlace
  // A byte for the filter (none), then the pixels: 0 is dark.
  const stride = 1 + Math.ceil(size / 8);
  const lines = Buffer.alloc(stride * size, 0xff);
  for (let y = 0; y < size; y++) lines[y * stride] = 0;
  for (const [row, columns] of modules.entries()) {
    const first = (before + row * scale) * stride;
    for (const [column, isDark] of columns.entries()) {
      if (!isDark) continue;
      const from = before + column * scale;
      for (let x = from; x < from + scale; x++) lines[first + 1 + (x >> 3)]! &= ~(0x80 >> (x & 7));
    }
    for (let again = 1; again < scale; again++)
      lines.copyWithin(first + again * stride, first, first + stride);
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from([...dark, ...(light ?? [255, 255, 255])])),
    ...(light === null ? [chunk('tRNS', Buffer.from([255, 0]))] : []),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
