/**
 * Reads a journal back: the living one of this process as far as it is acknowledged, one that was left behind as far
 * as there are whole frames.
 *
 * A frame that is cut off at the very end is one that nobody was answered for: it ends the journal. Whatever else is no
 * frame where one should be is damage: it is logged and counted, and reading goes on with the next good frame.
 *
 * Invariant: each call either reads clicks, or moves on, or says that it is at the end; a file is opened by its path
 * in each call, so that a journal that another process has ended meanwhile is seen to be gone.
 */
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { getCode } from '../../../platform/embedded-postgres/errors.ts';
import { decodeClicks } from './click-codec.ts';
import type { ClickRecord } from './click-record.ts';
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

export interface ReaderOptions {
  id: string;
  folder: string;
  log: {
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  damaged: (bytes: number) => void;
  /** Of a living journal: bytes of a segment that are acknowledged; undefined where it has no such segment. */
  acknowledged?: (segment: number) => number | undefined;
  onRead?: (from: { segment: number; position: number }) => void;
  onRemoved?: (before: number) => void;
}

async function ifThere<T>(doing: Promise<T>): Promise<T | null> {
  try {
    return await doing;
  } catch (error) {
    if (getCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Bytes of a file from `from` up to `to`, or to its end. */
async function bytesOf(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

export function createJournalReader(options: ReaderOptions): JournalSource {
  const { id, folder, log, damaged, acknowledged, onRead, onRemoved } = options;
  const mark = frameMark(id);
  const isLive = acknowledged !== undefined;

  const tellDamage = (segment: number, position: number, bytes: number, what: string): void => {
    damaged(bytes);
    log.error({ journal: id, segment, position, bytes }, what);
  };

  /** Where the next good frame begins, looked for from `from` on; null where there is none before `limit`. */
  const nextFrame = async (file: FileHandle, from: number, limit: number): Promise<number | null> => {
    for (let at = from; at < limit;) {
      const bytes = await bytesOf(file, at, Math.min(limit, at + 2 * MAX_FRAME_BYTES));
      for (let found = 0; (found = bytes.indexOf(mark, found)) >= 0; found++)
        if (frameAt(bytes, found, mark) > 0) return at + found;
      if (at + bytes.length >= limit || bytes.length <= MAX_FRAME_BYTES) return null;
      at += bytes.length - MAX_FRAME_BYTES;
    }
    return null;
  };
  const isZero = async (file: FileHandle, from: number, limit: number): Promise<boolean> => {
    for (let at = from; at < limit; at += MAX_FRAME_BYTES) {
      const bytes = await bytesOf(file, at, Math.min(limit, at + MAX_FRAME_BYTES));
      if (bytes.some((byte) => byte !== 0)) return false;
    }
    return true;
  };
  /** Whether nothing was ever recorded behind this segment: one that lies ready for use may be there. */
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

  /** @returns where reading goes on after what is no frame at `position`; null where the segment is over. */
  const skip = async (
    file: FileHandle,
    segment: number,
    position: number,
    limit: number,
  ): Promise<number | null> => {
    const found = await nextFrame(file, position + 1, limit);
    if (found !== null) {
      tellDamage(segment, position, found - position, 'clicks of a journal are damaged and were skipped');
      return found;
    }
    if (position >= limit || (await isZero(file, position, limit))) return null;
    if (isLive || !(await isLast(segment)))
      tellDamage(segment, position, limit - position, 'the end of a segment of clicks is damaged');
    else log.warn({ journal: id, segment, position }, 'a commit that nobody was answered for is cut off');
    return null;
  };

  const decode = (payload: Buffer, segment: number, position: number): ClickRecord[] => {
    try {
      return decodeClicks(payload);
    } catch (error) {
      log.error({ err: error, journal: id, segment, position }, 'a commit of clicks can not be understood');
      damaged(payload.length);
      return [];
    }
  };

  /** What is to be read of one segment from `position` on. */
  const readSegment = async (
    file: FileHandle,
    segment: number,
    position: number,
    maxBytes: number,
    acknowledgedBytes: number,
  ): Promise<{ clicks: ClickRecord[]; position: number; over: boolean }> => {
    const { size } = await file.stat();
    const limit = Math.min(acknowledgedBytes, size);
    const isGood = isSegmentHeader(await bytesOf(file, 0, SEGMENT_HEADER_BYTES), id, segment);
    if (!isGood && position < SEGMENT_HEADER_BYTES && limit > SEGMENT_HEADER_BYTES)
      log.error({ journal: id, segment }, 'the head of a segment of clicks is damaged');

    let at = Math.max(position, SEGMENT_HEADER_BYTES);
    let bytes = await bytesOf(file, at, Math.min(limit, at + maxBytes));
    let length = frameAt(bytes, 0, mark);
    // A commit that is longer than that is read whole: first its head says how long it is.
    for (let tries = 0; length < -bytes.length && at - length <= limit && tries < 2; tries++) {
      bytes = await bytesOf(file, at, at - length);
      length = frameAt(bytes, 0, mark);
    }
    if (length <= 0) {
      const found = await skip(file, segment, at, limit);
      return { clicks: [], position: found ?? at, over: found === null };
    }
    const clicks: ClickRecord[] = [];
    for (let read = 0; length > 0; length = frameAt(bytes, read, mark)) {
      const payload = bytes.subarray(read + FRAME_HEADER_BYTES, read + length);
      for (const click of decode(payload, segment, at)) clicks.push(click);
      read += length;
      at += length;
    }
    // What follows and is no whole frame is for the next call, so that damage is told once these are safe.
    return { clicks, position: at, over: at >= limit };
  };

  return {
    id,
    isLive,
    async read(segment, position, maxBytes): Promise<JournalPart> {
      onRead?.({ segment, position });
      const isCaughtUp = acknowledged?.(segment) === position && acknowledged(segment + 1) === undefined;
      if (isCaughtUp) return { clicks: [], segment, position, atEnd: true };
      const segments = await ifThere(listSegments(folder));
      const here = segments?.find((number) => number >= segment);
      if (segments === null || here === undefined) return { clicks: [], segment, position, atEnd: true };
      if (isLive && acknowledged(here) === undefined) return { clicks: [], segment, position, atEnd: true };
      if (here > segment) {
        log.error(
          { journal: id, segment, next: here },
          'a segment of clicks is missing; what follows is read',
        );
        return { clicks: [], segment: here, position: 0, atEnd: false };
      }
      // Both as of one moment: a living journal goes on while this one reads.
      const acknowledgedBytes = acknowledged?.(here) ?? Infinity;
      const hasNext = isLive
        ? acknowledged(here + 1) !== undefined
        : segments.some((number) => number > here);
      const file = await ifThere(open(segmentPath(folder, here)));
      if (file === null) return { clicks: [], segment, position, atEnd: false };
      try {
        const part = await readSegment(file, here, position, maxBytes, acknowledgedBytes);
        const goesOn = part.over && hasNext;
        if (goesOn && isLive && part.position < acknowledgedBytes)
          tellDamage(
            here,
            part.position,
            acknowledgedBytes - part.position,
            'a segment of clicks was cut off',
          );
        return {
          clicks: part.clicks,
          segment: goesOn ? here + 1 : here,
          position: goesOn ? 0 : part.position,
          atEnd: part.over && !goesOn,
        };
      } finally {
        await file.close();
      }
    },
    async loadedThrough(segment) {
      for (const number of (await ifThere(listSegments(folder))) ?? [])
        if (number < segment) await ifThere(unlink(segmentPath(folder, number)));
      onRemoved?.(segment);
    },
  };
}
