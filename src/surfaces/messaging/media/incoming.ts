/**
 * Writes an incoming file to disk while hashing and counting it. Never buffers the file, and keeps free space on the
 * disk.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, statfs } from 'node:fs/promises';
import { collectYoungGarbage } from '../../../platform/collect-garbage.ts';
import type { Problem } from '../../../platform/http/problem.ts';
import { tooLarge } from '../../../platform/http/upload.ts';
import { storageFull } from '../../../platform/storage/disk-watch.ts';
import { type FileSystem, getMissing, type Reserve } from '../../../platform/config/reserve.ts';
import { MAX_BYTES, type Span } from './media-files.ts';

/** Bytes that are read to detect a type. */
const HEAD_BYTES = 32 * 1024;
/** Number of bytes between garbage collections. */
const COLLECT_EVERY = 4 * 1024 * 1024;
/** Larger than Node's buffers, so that a writer waits until they are drained. */
const PIECE = 256 * 1024;

export type ReadDiskSpace = (path: string) => Promise<FileSystem>;

const diskFull = (): Problem => storageFull('The disk of this server is nearly full.');

/** Converts a write error; a full disk has its own error. */
export const toWriteError = (error: unknown): unknown =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '') ? diskFull() : error;

export interface DiskSpaceRules {
  /** Minimum free disk space after the file is stored. */
  reserve: Reserve | null;
  /** For tests: the answer of the file system. */
  getRoom?: ReadDiskSpace;
}

export const DEFAULT_DISK_SPACE_RULES: DiskSpaceRules = { reserve: { share: 0.05 } };

/** @param bytes that will come. @throws Problem storage_full */
export async function assertDiskSpace(
  path: string,
  bytes: number | null,
  { reserve, getRoom: ask = statfs }: DiskSpaceRules,
): Promise<void> {
  const disk = await ask(path);
  const coming = Math.ceil(Math.min(bytes ?? 0, MAX_BYTES) / disk.bsize);
  if (getMissing(reserve, { ...disk, bavail: disk.bavail - coming, bfree: disk.bfree - coming }, false))
    throw diskFull();
}

/** Returns a counter of bytes that regularly collects the garbage of earlier chunks. */
export function tidyingCounter(): (bytes: number) => void {
  let since = 0;
  return (bytes) => {
    since += bytes;
    if (since < COLLECT_EVERY) return;
    since = 0;
    collectYoungGarbage();
  };
}

/**
 * Writes the bytes to the file.
 * @throws Problem payload_too_large; any error of the stream
 */
export async function writeIncoming(handle: FileHandle, bytes: AsyncIterable<Buffer>) {
  const hash = createHash('sha256');
  const head = Buffer.alloc(HEAD_BYTES);
  const passed = tidyingCounter();
  let size = 0;
  for await (const chunk of bytes) {
    if (size + chunk.length > MAX_BYTES) throw tooLarge(MAX_BYTES);
    if (size < HEAD_BYTES) chunk.copy(head, size);
    hash.update(chunk);
    size += chunk.length;
    for (let at = 0; at < chunk.length;) at += (await handle.write(chunk, at)).bytesWritten;
    passed(chunk.length);
  }
  return { size, sha256: hash.digest(), head: head.subarray(0, size) };
}

/** Uses one buffer: a piece is overwritten when the next one is requested. */
export async function* getPieces(handle: FileHandle, { start, length }: Span): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE, length));
  for (let sent = 0; sent < length;) {
    const max = Math.min(buffer.length, length - sent);
    let filled = 0;
    while (filled < max) {
      const { bytesRead } = await handle.read(buffer, filled, max - filled, start + sent + filled);
      if (bytesRead === 0) throw new Error('the file is shorter than it should be');
      filled += bytesRead;
    }
    sent += max;
    // The rest is smaller than Node's buffers, which may hold it for a while, so it is copied.
    yield max < PIECE ? Buffer.from(buffer.subarray(0, max)) : buffer;
  }
}
