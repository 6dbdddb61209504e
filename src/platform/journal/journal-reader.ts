/**
 * Reads a journal: the live journal of this process up to the acknowledged end, an orphaned one up to the last complete
 * frame.
 *
 * An incomplete frame at the very end was never acknowledged and ends the journal. Any other invalid frame is damage,
 * which is logged and counted; reading continues with the next valid frame.
 *
 * Invariants: each call returns records, advances, or reports the end. Files are opened by path in each call, so that
 * the removal of a journal by another process is noticed.
 */
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { getCode } from '../embedded-postgres/errors.ts';
import type { Log } from '../logging/log.ts';
import type { JournalPart, JournalSource } from './journal-source.ts';
import {
  FRAME_HEADER_BYTES,
  frameAt,
  frameMark,
  isSegmentHeader,
  listSegments,
  MAX_FRAME_BYTES,
  SEGMENT_HEADER_BYTES,
  segmentPath,
} from './segment.ts';

export interface ReaderOptions<Kept> {
  /** For logs, such as "click journal". */
  name: string;
  /** Decodes a frame's payload. @throws if it is invalid */
  decode: (payload: Buffer) => Kept[];
  id: string;
  folder: string;
  log: Pick<Log, 'warn' | 'error'>;
  damaged: (bytes: number) => void;
  /** Live journals: acknowledged bytes of a segment; undefined if there is no such segment. */
  acknowledged?: (segment: number) => number | undefined;
  /** Live journals: the first segment that can still receive records, which is never removed. */
  firstInUse?: () => number;
  onRead?: (from: { segment: number; position: number }) => void;
  onRemoved?: (before: number) => void;
}

async function nullIfMissing<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (getCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Reads the bytes of a file between `from` and `to`, or up to its end. */
async function readBytes(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

export function createJournalReader<Kept>(options: ReaderOptions<Kept>): JournalSource<Kept> {
  const { name, id, folder, log, damaged, acknowledged, firstInUse, onRead, onRemoved } = options;
  const mark = frameMark(id);
  const isLive = acknowledged !== undefined;

  const reportDamage = (segment: number, position: number, bytes: number, message: string): void => {
    damaged(bytes);
    log.error({ journal: id, segment, position, bytes }, message);
  };

  /** Finds the next valid frame between `from` and `limit`. @returns its position; null if there is none */
  const nextFrame = async (file: FileHandle, from: number, limit: number): Promise<number | null> => {
    for (let at = from; at < limit;) {
      const bytes = await readBytes(file, at, Math.min(limit, at + 2 * MAX_FRAME_BYTES));
      for (let found = 0; (found = bytes.indexOf(mark, found)) >= 0; found++)
        if (frameAt(bytes, found, mark) > 0) return at + found;
      if (at + bytes.length >= limit || bytes.length <= MAX_FRAME_BYTES) return null;
      at += bytes.length - MAX_FRAME_BYTES;
    }
    return null;
  };
  const isZero = async (file: FileHandle, from: number, limit: number): Promise<boolean> => {
    for (let at = from; at < limit; at += MAX_FRAME_BYTES) {
      const bytes = await readBytes(file, at, Math.min(limit, at + MAX_FRAME_BYTES));
      if (bytes.some((byte) => byte !== 0)) return false;
    }
    return true;
  };
  /** Returns whether no later segment contains records. An unused segment may exist already. */
  const isLast = async (segment: number): Promise<boolean> => {
    for (const later of (await listSegments(folder)).filter((number) => number > segment)) {
      const file = await open(segmentPath(folder, later));
      try {
        if ((await nextFrame(file, 0, (await file.stat()).size)) !== null) return false;
      } finally {
        await file.close();
      }
    }
    return true;
  };

  /** Skips the invalid data at `position`. @returns where to continue; null at the end of the segment */
  const skip = async (
    file: FileHandle,
    segment: number,
    position: number,
    limit: number,
  ): Promise<number | null> => {
    const found = await nextFrame(file, position + 1, limit);
    if (found !== null) {
      reportDamage(segment, position, found - position, `${name}: skipped damaged records`);
      return found;
    }
    if (position >= limit || (await isZero(file, position, limit))) return null;
    if (isLive || !(await isLast(segment)))
      reportDamage(segment, position, limit - position, `${name}: end of segment is damaged`);
    else log.warn({ journal: id, segment, position }, `${name}: discarded incomplete last commit`);
    return null;
  };

  const decode = (payload: Buffer, segment: number, position: number): Kept[] => {
    try {
      return options.decode(payload);
    } catch (error) {
      log.error({ err: error, journal: id, segment, position }, `${name}: could not decode commit`);
      damaged(payload.length);
      return [];
    }
  };

  /** Reads one segment from `position` on. */
  const readSegment = async (
    file: FileHandle,
    segment: number,
    position: number,
    maxBytes: number,
    acknowledgedBytes: number,
  ): Promise<{ records: Kept[]; position: number; over: boolean }> => {
    const { size } = await file.stat();
    const limit = Math.min(acknowledgedBytes, size);
    const isGood = isSegmentHeader(await readBytes(file, 0, SEGMENT_HEADER_BYTES), id, segment);
    if (!isGood && position < SEGMENT_HEADER_BYTES && limit > SEGMENT_HEADER_BYTES)
      log.error({ journal: id, segment }, `${name}: segment header is damaged`);

    let at = Math.max(position, SEGMENT_HEADER_BYTES);
    let bytes = await readBytes(file, at, Math.min(limit, at + maxBytes));
    let length = frameAt(bytes, 0, mark);
    // A frame larger than `maxBytes` is read whole: the first pass reads its header, which contains the length.
    for (let tries = 0; length < -bytes.length && at - length <= limit && tries < 2; tries++) {
      bytes = await readBytes(file, at, at - length);
      length = frameAt(bytes, 0, mark);
    }
    if (length <= 0) {
      const found = await skip(file, segment, at, limit);
      return { records: [], position: found ?? at, over: found === null };
    }
    const records: Kept[] = [];
    for (let read = 0; length > 0; length = frameAt(bytes, read, mark)) {
      const payload = bytes.subarray(read + FRAME_HEADER_BYTES, read + length);
      for (const record of decode(payload, segment, at)) records.push(record);
      read += length;
      at += length;
    }
    // An invalid frame behind valid ones is left to the next call, so that damage is reported after these are loaded.
    return { records, position: at, over: at >= limit };
  };

  return {
    id,
    isLive,
    async read(segment, position, maxBytes): Promise<JournalPart<Kept>> {
      onRead?.({ segment, position });
      const isCaughtUp = acknowledged?.(segment) === position && acknowledged(segment + 1) === undefined;
      if (isCaughtUp) return { records: [], segment, position, atEnd: true };
      const segments = await nullIfMissing(listSegments(folder));
      const here = segments?.find((number) => number >= segment);
      if (segments === null || here === undefined) return { records: [], segment, position, atEnd: true };
      if (isLive && acknowledged(here) === undefined) return { records: [], segment, position, atEnd: true };
      if (here > segment) {
        log.error(
          { journal: id, segment, next: here },
          `${name}: segment is missing, continuing with the next one`,
        );
        return { records: [], segment: here, position: 0, atEnd: false };
      }
      // Both are read at the same moment: a live journal continues during this read.
      const acknowledgedBytes = acknowledged?.(here) ?? Infinity;
      const hasNext = isLive
        ? acknowledged(here + 1) !== undefined
        : segments.some((number) => number > here);
      const file = await nullIfMissing(open(segmentPath(folder, here)));
      if (file === null) return { records: [], segment, position, atEnd: false };
      try {
        const part = await readSegment(file, here, position, maxBytes, acknowledgedBytes);
        const goesOn = part.over && hasNext;
        if (goesOn && isLive && part.position < acknowledgedBytes)
          reportDamage(
            here,
            part.position,
            acknowledgedBytes - part.position,
            `${name}: segment is truncated`,
          );
        return {
          records: part.records,
          segment: goesOn ? here + 1 : here,
          position: goesOn ? 0 : part.position,
          atEnd: part.over && !goesOn,
        };
      } finally {
        await file.close();
      }
    },
    async loadedThrough(segment) {
      const before = Math.min(segment, firstInUse?.() ?? segment);
      for (const number of (await nullIfMissing(listSegments(folder))) ?? [])
        if (number < before) await nullIfMissing(unlink(segmentPath(folder, number)));
      onRemoved?.(before);
    },
  };
}
