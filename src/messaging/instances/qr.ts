/**
 * QR codes as text for a terminal, SVG and PNG. The PNG is written here: one bit a pixel, grey, one chunk of data.
 * https://www.w3.org/TR/png-3/
 */
import { crc32, deflateSync } from 'node:zlib';
import { encode, renderSVG, renderUnicodeCompact } from 'uqr';

/** Modules of white around it, as the standard asks. */
const BORDER = 4;
/** Pixels a module. */
const SCALE = 8;

const OPTIONS = { ecc: 'M', border: BORDER } as const;

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

/** @param rows true for black; as many columns as rows */
function pngOf(rows: readonly (readonly boolean[])[]): Buffer {
  const side = rows.length * SCALE;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1; // bits a pixel; 0 is grey, and the defaults of compression, filter and interlace
  const lines = rows.flatMap((row) => {
    // A byte for the filter (none), then the pixels; SCALE is 8, so a module is a byte.
    const line = Buffer.from([0, ...row.map((isBlack) => (isBlack ? 0x00 : 0xff))]);
    return Array.from({ length: SCALE }, () => line);
  });
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** @param data at most 2,331 bytes @throws RangeError for more */
export const qrPng = (data: string): Buffer => pngOf(encode(data, OPTIONS).data);
export const qrSvg = (data: string): string => renderSVG(data, OPTIONS);
/** Half blocks: two modules a character. */
export const qrText = (data: string): string => `${renderUnicodeCompact(data, OPTIONS)}\n`;
