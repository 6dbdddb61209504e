/**
 * What a table's rows amount to, however they are ordered: their number, and the sum of their hashes. Computed from the
 * lines of `COPY … TO STDOUT` (text form: a row is a line, for line breaks in values are escaped) as they stream by. A row
 * that comes in pieces is not gathered: a file of some kilobytes can unpack to one row of terabytes.
 */
import { createHash, type Hash, hash } from 'node:crypto';

export interface TableDigest {
  rows: number;
  /** 32 hexadecimal digits: four sums, each modulo 2^32, of the parts of the rows' MD5. */
  checksum: string;
}

const LINE_END = 10;

export interface RowDigest {
  /** Any piece of the text; rows may be cut anywhere. */
  add(bytes: Buffer): void;
  /** @throws Error where the text ends within a row */
  end(): TableDigest;
}

const toHex = (sums: Uint32Array): string =>
  [...sums].map((sum) => sum.toString(16).padStart(8, '0')).join('');

const toSums = (checksum: string): Uint32Array =>
  Uint32Array.from(checksum.match(/.{8}/g)!, (sum) => Number.parseInt(sum, 16));

export const NO_ROWS: TableDigest = { rows: 0, checksum: '0'.repeat(32) };

/** Returns the digest of a table after rows were removed and added. */
export function changedDigest(before: TableDigest, gone: TableDigest, come: TableDigest): TableDigest {
  const sums = toSums(before.checksum);
  const [minus, plus] = [toSums(gone.checksum), toSums(come.checksum)];
  for (const lane of sums.keys()) sums[lane]! += plus[lane]! - minus[lane]!;
  return { rows: before.rows - gone.rows + come.rows, checksum: toHex(sums) };
}

export function createRowDigest(): RowDigest {
  const sums = new Uint32Array(4);
  let rows = 0;
  /** Of a row that began in an earlier piece. */
  let begun: Hash | null = null;

  const take = (digest: Buffer): void => {
    for (let lane = 0; lane < 4; lane++) sums[lane]! += digest.readUInt32BE(lane * 4);
    rows++;
  };

  return {
    add(bytes) {
      let at = 0;
      for (;;) {
        const end = bytes.indexOf(LINE_END, at);
        if (end < 0) break;
        const line = bytes.subarray(at, end);
        take(begun === null ? hash('md5', line, 'buffer') : begun.update(line).digest());
        begun = null;
        at = end + 1;
      }
      if (at < bytes.length) begun = (begun ?? createHash('md5')).update(bytes.subarray(at));
    },
    end() {
      if (begun !== null) throw new Error('the rows of a table end within a row');
      return { rows, checksum: toHex(sums) };
    },
  };
}

export const isSame = (one: TableDigest, other: TableDigest): boolean =>
  one.rows === other.rows && one.checksum === other.checksum;
