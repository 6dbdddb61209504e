/**
 * The container format of a backup: a tar (ustar) in one canonical form that any tar program can list and unpack. When
 * a header is read, it is rebuilt from its values and must match byte for byte, so links, devices, extensions and
 * unusual numbers are impossible, and no byte can change undetected.
 */
export const BLOCK = 512;
/** The end marker of a tar. */
export const END = Buffer.alloc(2 * BLOCK);

const MAX_NAME = 100;
const MAX_PREFIX = 155;
/** The largest number with eleven octal digits. */
const MAX_SIZE = 8 ** 11 - 1;

export interface TarHeader {
  /** Printable ASCII without a slash at either end. */
  name: string;
  /** Bytes. */
  size: number;
  /** Seconds since 1970. */
  modified: number;
}

/** Returns the number of bytes from the end of a content to the next block. */
export const getPadding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** Splits a long name at the first slash after which the rest fits. @throws Error if there is none */
function splitName(name: string): { prefix: string; rest: string } {
  if (name.length <= MAX_NAME) return { prefix: '', rest: name };
  const cut = name.indexOf('/', name.length - MAX_NAME - 1);
  if (cut <= 0 || cut > MAX_PREFIX) throw new Error(`a name is too long for a tar: ${name}`);
  return { prefix: name.slice(0, cut), rest: name.slice(cut + 1) };
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

/** @throws Error if the values can't be represented in a header */
export function encodeHeader({ name, size, modified }: TarHeader): Buffer {
  if (!Number.isInteger(size) || size < 0 || size > MAX_SIZE) throw new Error(`a tar holds no ${size} bytes`);
  const block = Buffer.alloc(BLOCK);
  const { prefix, rest } = splitName(name);
  block.write(rest, 0, 'latin1');
  block.write('0000600\x000000000\x000000000\0', 100, 'latin1'); // mode, user, group
  block.write(`${octal(size, 11)}\0${octal(modified, 11)}\0`, 124, 'latin1');
  block.write('        0', 148, 'latin1'); // the checksum counts as spaces; type '0' is a regular file
  block.write('ustar\x0000', 257, 'latin1');
  block.write('0000000\x000000000\0', 329, 'latin1'); // no device
  block.write(prefix, 345, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return block;
}

const textAt = (block: Buffer, from: number, length: number): string => {
  const field = block.toString('latin1', from, from + length);
  const end = field.indexOf('\0');
  return end < 0 ? field : field.slice(0, end);
};

const numberAt = (block: Buffer, from: number): number => {
  const text = textAt(block, from, 12);
  return /^[0-7]{11}$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
};

/** @returns null if the block is not exactly what `encodeHeader` produces */
export function decodeHeader(block: Buffer): TarHeader | null {
  const prefix = textAt(block, 345, MAX_PREFIX);
  const rest = textAt(block, 0, MAX_NAME);
  const header = {
    name: prefix === '' ? rest : `${prefix}/${rest}`,
    size: numberAt(block, 124),
    modified: numberAt(block, 136),
  };
  // Names appear in messages and must not control a terminal.
  if (!/^[ -~]+$/.test(header.name) || rest === '') return null;
  if (Number.isNaN(header.size) || Number.isNaN(header.modified)) return null;
  try {
    return encodeHeader(header).equals(block) ? header : null;
  } catch {
    return null; // a name that this program would never have written
  }
}
