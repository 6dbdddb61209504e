/** Writes the entries of a backup in order and records what the manifest lists about each. */
import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { tidyingCounter } from '../../surfaces/messaging/media/incoming.ts';
import { type EntryDigest, mediaLine, mediaName, PIECE_BYTES } from './format.ts';
import type { Output } from './output.ts';
import { BLOCK, encodeHeader, END, getPadding } from './tar.ts';

const compress = promisify(zstdCompress);
const ZEROS = Buffer.alloc(BLOCK);

export interface ArchiveWriter {
  /** Entries written so far, without media. */
  entries: EntryDigest[];
  media(): { files: number; bytes: number; sha256: string };
  /** Writes an entry from memory. */
  add(name: string, bytes: Buffer): Promise<void>;
  /** Writes an entry that the manifest does not list: the manifest itself and its seal. */
  addUnlisted(name: string, bytes: Buffer): Promise<void>;
  /**
   * Writes a byte stream of any length as entries with compressed pieces.
   * @returns the number of bytes before compression
   */
  addPieces(getName: (piece: number) => string, bytes: AsyncIterable<Uint8Array>): Promise<number>;
  /**
   * Writes the content of a media file under its hash. Keys must be added in ascending order.
   * @returns false if the size or the hash does not match; nothing of the content is then in the file
   */
  addMedia(key: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<boolean>;
  end(): Promise<void>;
}

export function createArchiveWriter(output: Output, made: Date): ArchiveWriter {
  const modified = Math.floor(made.getTime() / 1000);
  const entries: EntryDigest[] = [];
  const lines: Hash = createHash('sha256');
  const passed = tidyingCounter();
  let files = 0;
  let mediaBytes = 0;

  const begin = (name: string, size: number): Promise<void> =>
    output.write(encodeHeader({ name, size, modified }));
  const pad = (size: number): Promise<void> => output.write(ZEROS.subarray(0, getPadding(size)));
  const put = async (name: string, bytes: Buffer): Promise<void> => {
    await begin(name, bytes.length);
    await output.write(bytes);
    await pad(bytes.length);
  };
  const add = async (name: string, bytes: Buffer): Promise<void> => {
    await put(name, bytes);
    entries.push({ name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
  };

  return {
    entries,
    media: () => ({ files, bytes: mediaBytes, sha256: lines.copy().digest('hex') }),
    add,
    addUnlisted: put,
    async addPieces(getName, bytes) {
      const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      let filled = 0;
      let pieces = 0;
      let total = 0;
      const flush = async (): Promise<void> => {
        if (filled === 0) return;
        await add(getName(++pieces), await compress(piece.subarray(0, filled)));
        filled = 0;
      };
      for await (const chunk of bytes) {
        passed(chunk.length);
        for (let at = 0; at < chunk.length;) {
          const part = chunk.subarray(at, at + PIECE_BYTES - filled);
          piece.set(part, filled);
          filled += part.length;
          at += part.length;
          total += part.length;
          if (filled === PIECE_BYTES) await flush();
        }
      }
      await flush();
      return total;
    },
    async addMedia(key, size, bytes) {
      const start = output.position;
      const hash = createHash('sha256');
      let left = size;
      await begin(mediaName(key), size);
      for await (const chunk of bytes) {
        left -= chunk.length;
        if (left < 0) break;
        hash.update(chunk);
        await output.write(chunk);
      }
      if (left !== 0 || hash.digest('hex') !== key.slice(-64)) {
        await output.cutTo(start);
        return false;
      }
      await pad(size);
      lines.update(mediaLine(key, size));
      files += 1;
      mediaBytes += size;
      return true;
    },
    end: () => output.write(END),
  };
}
