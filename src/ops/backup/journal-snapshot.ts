/**
 * Snapshots the click journals for a backup. Together with the positions in the database snapshot, they must contain
 * every click that was answered before the backup began.
 *
 * Segments are opened BEFORE the snapshot: a segment removed earlier was already loaded, so the snapshot counts its
 * clicks; a segment removed later can still be read through the open handle. AFTER the snapshot the folder is listed
 * again, so that the segment that a position refers to is included. Nothing is linked or copied, so a crash leaves
 * nothing behind.
 *
 * A segment is preallocated with zeros. It is read up to the last byte that is nonzero at one point in time, so that a
 * concurrent commit is at worst cut off at the very end. A gap between good commits would be treated as damage when the
 * journal is loaded.
 */
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { getCode } from '../../platform/embedded-postgres/errors.ts';
import { MAX_RECORD_BYTES } from '../../surfaces/links/clicks/click-codec.ts';
import { JOURNAL } from '../../platform/journal/journal.ts';
import { journalsFolder } from '../../surfaces/links/clicks/click-journal.ts';
import { listSegments, segmentPath } from '../../platform/journal/segment.ts';

const READ_BYTES = 256 * 1024;

export interface SnapshotSegment {
  journal: string;
  segment: number;
  /** Reads the segment's current bytes. A piece is valid only until the next one is requested. */
  read(): AsyncIterable<Uint8Array>;
}

export interface JournalSnapshot {
  /** Opens new segments. Must be called before the snapshot is taken, and again after it. */
  check(): Promise<void>;
  /** Sorted by journal and number. */
  segments(): SnapshotSegment[];
  release(): Promise<void>;
}

async function orNull<T>(doing: Promise<T>): Promise<T | null> {
  try {
    return await doing;
  } catch (error) {
    if (getCode(error) === 'ENOENT') return null; // loaded and removed
    throw error;
  }
}

/** Returns the offset at which the file's trailing zeros begin. */
async function lastWritten(file: FileHandle, size: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let end = size; end > 0;) {
    const from = Math.max(0, end - READ_BYTES);
    const { bytesRead } = await file.read(buffer, 0, end - from, from);
    for (let at = bytesRead - 1; at >= 0; at--) if (buffer[at] !== 0) return from + at + 1;
    end = from;
  }
  return 0;
}

async function* toBytes(file: FileHandle): AsyncGenerator<Uint8Array> {
  const { size } = await file.stat();
  const end = await lastWritten(file, size);
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; at < end;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, end - at), at);
    if (bytesRead === 0) return; // truncated to what was acknowledged
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
  // The last click may itself end with zeros.
  yield Buffer.alloc(Math.min(MAX_RECORD_BYTES, size - end));
}

/** @param dataDir DATA_DIR */
export function holdJournals(dataDir: string): JournalSnapshot {
  const root = journalsFolder(dataDir);
  const held = new Map<string, { journal: string; segment: number; file: FileHandle }>();

  const hold = async (journal: string): Promise<void> => {
    for (const segment of (await orNull(listSegments(join(root, journal)))) ?? []) {
      const name = `${journal}/${String(segment).padStart(8, '0')}`;
      if (held.has(name)) continue;
      const file = await orNull(open(segmentPath(join(root, journal), segment), 'r'));
      if (file) held.set(name, { journal, segment, file });
    }
  };

  return {
    async check() {
      for (const name of (await orNull(readdir(root))) ?? []) if (JOURNAL.test(name)) await hold(name);
    },
    segments: () =>
      [...held.entries()]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([, { journal, segment, file }]) => ({ journal, segment, read: () => toBytes(file) })),
    async release() {
      for (const { file } of held.values()) await file.close();
      held.clear();
    },
  };
}
