/**
 * The segments of a journal: the one that is written to, the next one, which is created ahead of its use, and how much of
 * each is acknowledged. A segment whose write failed is never written to again.
 */
import type { Log } from '../logging/log.ts';
import { bytesFrom } from './journal-space.ts';
import { createSegment, endSegment, isStale, type JournalFiles, type Segment } from './segment-maker.ts';

export interface SegmentsOptions {
  /** For logs, such as "click journal". */
  name: string;
  files: JournalFiles;
  folder: string;
  journalId: string;
  /** Whether a new segment is synced to disk before its use. */
  durable: boolean;
  /** Replaces a segment with unread records after this time. */
  segmentMs: number | undefined;
  log: Pick<Log, 'warn'>;
  /** Whether the disk has no room for another segment. */
  isFull(): boolean;
  /** A segment was created, or its creation failed. */
  onCreated(): void;
  /** There is no segment to write to, and none could be created. */
  onUnavailable(error: Error): void;
}

export interface Segments {
  /** Returns the segment to write to. */
  current(): Segment | null;
  isCreating(): boolean;
  /** Creates the next segment, unless there is one. Resolves once that ended. */
  createNext(): Promise<void> | null;
  /** Acknowledges bytes that were written to the current segment, and replaces it if it is full. */
  acknowledge(bytes: number): void;
  /** Replaces the current segment, to which a write failed. */
  abandon(): void;
  /** Replaces a current segment with old records by the next one, if `isIdle`. Creates what is missing. */
  check(isIdle: boolean): void;
  /** Acknowledged bytes that are on the disk. */
  usedBytes(): number;
  /** Acknowledged bytes that are not loaded yet. */
  backlogBytes(): number;
  /** Acknowledged bytes of a segment; undefined if it does not exist. */
  acknowledged(segment: number): number | undefined;
  /** Number of the first segment that may still be written to. */
  firstInUse(): number;
  /** Everything before the position is loaded. */
  loadedThrough(position: { segment: number; position: number }): void;
  /** Segments before this one are removed. */
  removedBefore(segment: number): void;
  /** Resolves once no segment is being created. None is created later. */
  settle(): Promise<void>;
  /** Ends all segments. Resolves once they are closed. */
  close(): Promise<void>;
}

export function createSegments(options: SegmentsOptions): Segments {
  const { name, files, folder, journalId, durable, log } = options;
  let current: Segment | null = null;
  let next: Segment | null = null;
  let creating: Promise<void> | null = null;
  let [nextNumber, filledSegments] = [0, 0];
  let isClosed = false;
  /** Acknowledged bytes of each segment that still exists. */
  const ends = new Map<number, number>();
  let loaded = { segment: 0, position: 0 };
  const closing = new Set<Promise<void>>();

  const end = (old: Segment): void => {
    const ending = endSegment(files, old)
      .catch((error: unknown) =>
        log.warn({ err: error, journal: journalId }, `${name}: could not truncate segment`),
      )
      .finally(() => closing.delete(ending));
    closing.add(ending);
  };
  const use = (made: Segment): void => {
    current = Object.assign(made, { since: performance.now() });
    ends.set(made.number, made.end);
    void createNext();
  };
  function createNext(): Promise<void> | null {
    if (creating || next || isClosed || options.isFull()) return creating;
    creating = createSegment(files, {
      folder,
      journalId,
      number: nextNumber,
      filled: filledSegments,
      durable,
    })
      .then(
        (made) => {
          nextNumber++;
          creating = null;
          if (current) next = made;
          else use(made);
        },
        (error: Error) => {
          creating = null;
          if (current) log.warn({ err: error, journal: journalId }, `${name}: could not create next segment`);
          else options.onUnavailable(error);
        },
      )
      .then(options.onCreated);
    return creating;
  }
  const switchTo = (from: Segment, to: Segment): void => {
    next = null;
    end(from);
    use(to);
  };

  return {
    current: () => current,
    isCreating: () => creating !== null,
    createNext,
    acknowledge(bytes) {
      const now = current!;
      now.end += bytes;
      ends.set(now.number, now.end);
      if (now.end < now.size || !next) return;
      filledSegments++;
      switchTo(now, next);
    },
    abandon() {
      const broken = current!;
      current = null;
      if (next) return switchTo(broken, next);
      end(broken);
      void createNext();
    },
    check(isIdle) {
      if (!current || !next) void createNext();
      else if (isIdle && isStale(current, loaded, options.segmentMs)) switchTo(current, next);
    },
    usedBytes: () => bytesFrom(ends, { segment: 0, position: 0 }),
    backlogBytes: () => bytesFrom(ends, loaded),
    acknowledged: (segment) => ends.get(segment),
    firstInUse: () => current?.number ?? next?.number ?? nextNumber,
    loadedThrough: (position) => (loaded = position),
    removedBefore(segment) {
      for (const number of ends.keys()) if (number < segment) ends.delete(number);
    },
    async settle() {
      isClosed = true;
      await creating;
    },
    async close() {
      for (const open of [current, next]) if (open) end(open);
      current = null;
      next = null;
      await Promise.all(closing);
    },
  };
}
