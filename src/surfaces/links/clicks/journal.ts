/**
 * The click journal of a process: clicks are on disk before they are answered.
 *
 * Group commit: clicks are encoded into one frame as they arrive, and a commit writes all of them. With `write`, a
 * commit is one call in the same event loop turn. With `fdatasync`, clicks that arrive during a commit share the next
 * one.
 *
 * A failed commit fails all of its clicks. The segment is cut after its last good frame and the next attempt uses
 * another segment, because a file cannot be trusted after a failed sync. While nothing can be recorded, appends fail
 * immediately. A write is attempted every second, so that a node without visitors recovers too.
 *
 * Invariants: at most one commit is in progress; the reader only sees acknowledged clicks; the journal never fills the
 * disk (journal-space.ts).
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { encodeClick, MAX_RECORD_BYTES, recordSpace } from './click-codec.ts';
import type { ClickJournal, NewClick } from './click-record.ts';
import { createJournalMetrics, type JournalMetrics } from './journal-metrics.ts';
import { createJournal } from './journal-owner.ts';
import { createJournalReader } from './journal-reader.ts';
import { bytesFrom, createJournalSpace, type JournalSpaceOptions } from './journal-space.ts';
import type { JournalSource } from './journal-source.ts';
import type { RedirectLoad } from './load-pace.ts';
import { FRAME_HEADER_BYTES, frameMark, MAX_FRAME_BYTES, sealFrame } from './segment.ts';
import { endSegment, isStale, type JournalFiles, createSegment, type Segment } from './segment-maker.ts';

const INITIAL_BUFFER_BYTES = 64 * 1024;
const CHECK_INTERVAL_MS = 1_000;

type AppendCallback = (error: Error | null) => void;

/** The limits of JournalSpaceOptions are overridden in tests only. */
export interface JournalOptions extends JournalSpaceOptions {
  /** DATA_DIR. */
  dataDir: string;
  sync: 'write' | 'fdatasync';
  log: {
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  registry: Registry;
  /** For tests. */
  files?: JournalFiles;
  segmentMs?: number;
}

export interface ProcessJournal extends ClickJournal {
  id: string;
  /** Read by the loader of this process. */
  source: JournalSource;
  metrics: JournalMetrics;
  /** 'failed' while clicks cannot be recorded, so that no visit is redirected. For /readyz. */
  state(): 'ok' | 'failed';
  redirectLoad(): RedirectLoad;
  /**
   * Records pending clicks, rejects later ones, and leaves unloaded clicks to the process that recovers the journal.
   */
  close(): Promise<void>;
}

/** The directory name of a journal. */
export const JOURNAL = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the directory of all journals. */
export const journalsFolder = (dataDir: string): string => join(dataDir, 'clicks');

/**
 * Opens a new journal for this process.
 * @throws if its directory cannot be created. A disk that fills up later is reported by `state` and to appends.
 */
export async function createClickJournal(options: JournalOptions): Promise<ProcessJournal> {
  const { sync, log, registry, files = fs } = options;
  const durable = sync === 'fdatasync';
  const claim = createJournal(journalsFolder(options.dataDir));
  const { id, folder } = claim;
  const mark = frameMark(id);

  let space = recordSpace(INITIAL_BUFFER_BYTES);
  let filled = FRAME_HEADER_BYTES;
  let pending: AppendCallback[] = [];
  let scheduled = false;
  let committing = false;
  let closed = false;

  let segment: Segment | null = null;
  let next: Segment | null = null;
  let creating: Promise<void> | null = null;
  let [nextNumber, filledSegments] = [0, 0];
  /** The last write error; null after a successful write. */
  let lastError: Error | null = null;
  const closing = new Set<Promise<void>>();

  /** Acknowledged bytes of each segment that still exists. */
  const ends = new Map<number, number>();
  let loaded = { segment: 0, position: 0 };

  const usedBytes = (): number => bytesFrom(ends, { segment: 0, position: 0 });
  const diskSpace = createJournalSpace({ files, folder, journalId: id, usedBytes, log }, options);
  const isFailed = (): boolean => lastError !== null || diskSpace.full() !== null;
  const backlogBytes = (): number => bytesFrom(ends, loaded);
  const metrics = createJournalMetrics(registry, () => ({
    backlogBytes: backlogBytes(),
    failed: isFailed(),
  }));

  const complete = (batch: AppendCallback[], error: Error | null): void => {
    for (const done of batch) {
      try {
        done(error);
      } catch (thrown) {
        log.error({ err: thrown }, 'click journal: append callback failed');
      }
    }
  };
  const reject = (batch: AppendCallback[], error: Error): void => {
    metrics.rejected(batch.length);
    complete(batch, error);
  };
  const takePending = (): AppendCallback[] => {
    const batch = pending;
    pending = [];
    filled = FRAME_HEADER_BYTES;
    return batch;
  };
  const recordFailure = (error: Error, message: string): void => {
    if (lastError === null) log.error({ err: error, journal: id }, message);
    lastError = error;
  };

  const end = (old: Segment): void => {
    const ending = endSegment(files, old)
      .catch((error: unknown) =>
        log.warn({ err: error, journal: id }, 'click journal: could not truncate segment'),
      )
      .finally(() => closing.delete(ending));
    closing.add(ending);
  };
  const schedule = (): void => {
    if (scheduled || committing) return;
    scheduled = true;
    setImmediate(commit);
  };
  const use = (made: Segment): void => {
    segment = Object.assign(made, { since: performance.now() });
    ends.set(made.number, made.end);
    void createNext();
  };
  /** Creates the next segment ahead of its use. */
  const createNext = (): Promise<void> | null => {
    if (creating || next || closed || diskSpace.full()) return creating;
    creating = createSegment(files, {
      folder,
      journalId: id,
      number: nextNumber,
      filled: filledSegments,
      durable,
    })
      .then(
        (made) => {
          nextNumber++;
          creating = null;
          if (segment) next = made;
          else use(made);
        },
        (error: Error) => {
          creating = null;
          if (segment) log.warn({ err: error, journal: id }, 'click journal: could not create next segment');
          else recordFailure(error, 'click journal: cannot record clicks');
        },
      )
      .then(() => {
        if (pending.length || (lastError && segment)) schedule();
      });
    return creating;
  };

  const switchTo = (from: Segment, to: Segment): void => {
    next = null;
    end(from);
    use(to);
  };

  const fail = (batch: AppendCallback[], error: Error): void => {
    recordFailure(error, 'click journal: write failed, clicks are rejected');
    const broken = segment!;
    segment = null;
    if (next) switchTo(broken, next);
    else {
      end(broken);
      void createNext();
    }
    reject(batch, error);
    if (pending.length) schedule();
  };
  const succeed = (batch: AppendCallback[], bytes: number, began: number): void => {
    if (lastError !== null) log.warn({ journal: id }, 'click journal: recording clicks again');
    lastError = null;
    const now = segment!;
    now.end += bytes;
    ends.set(now.number, now.end);
    if (now.end >= now.size && next) {
      filledSegments++;
      switchTo(now, next);
    }
    metrics.recorded(batch.length, (performance.now() - began) / 1000);
    complete(batch, null);
  };
  const write = (bytes: Buffer, to: Segment): void => {
    for (let done = 0; done < bytes.length;) {
      const written = files.writeSync(to.fd, bytes, done, bytes.length - done, to.end + done);
      if (written === 0) throw new Error('Click journal: the file system wrote 0 bytes');
      done += written;
    }
  };

  /** Commits pending clicks. Without any, an empty frame tests whether writing works again. */
  function commit(): void {
    scheduled = false;
    if (committing) return;
    if (!segment) {
      if (!creating) reject(takePending(), lastError ?? new Error('Click journal is closed'));
      return;
    }
    const began = performance.now();
    const frame = space.bytes.subarray(0, filled);
    const batch = takePending();
    try {
      sealFrame(frame, frame.length, mark);
      write(frame, segment);
    } catch (error) {
      return fail(batch, error as Error);
    }
    if (!durable) return succeed(batch, frame.length, began);
    committing = true;
    files.fdatasync(segment.fd, (error) => {
      committing = false;
      if (error) return fail(batch, error);
      succeed(batch, frame.length, began);
      if (pending.length) schedule();
    });
  }

  const check = (): void => {
    if (!segment || !next) void createNext();
    else if (!committing && isStale(segment, loaded, options.segmentMs)) switchTo(segment, next);
    if (lastError && segment && !committing) schedule();
    diskSpace.check();
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS);
  timer.unref();

  await createNext();

  const source = createJournalReader({
    id,
    folder,
    log,
    damaged: metrics.damaged,
    acknowledged: (number) => ends.get(number),
    onRead: (position) => (loaded = position),
    onRemoved: (through) => {
      for (const number of ends.keys()) if (number < through) ends.delete(number);
    },
  });

  return {
    id,
    source,
    metrics,
    state: () => (isFailed() ? 'failed' : 'ok'),
    redirectLoad: () => ({ recorded: metrics.total(), backlogBytes: backlogBytes() }),
    append(click: NewClick, done: AppendCallback): void {
      const rejection = closed
        ? new Error('Click journal is closed')
        : (diskSpace.full() ?? (segment === null && creating === null ? lastError : null));
      if (rejection !== null) {
        setImmediate(reject, [done], rejection);
        return;
      }
      if (filled + MAX_RECORD_BYTES > space.bytes.length) {
        if (space.bytes.length >= MAX_FRAME_BYTES) {
          setImmediate(reject, [done], new Error('Click journal buffer is full: the disk is too slow'));
          return;
        }
        const larger = recordSpace(space.bytes.length * 2);
        space.bytes.copy(larger.bytes, 0, 0, filled);
        space = larger;
      }
      filled = encodeClick(click, space, filled);
      pending.push(done);
      if (!scheduled && !committing) {
        scheduled = true;
        setImmediate(commit);
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      await creating;
      while (pending.length || scheduled || committing) await new Promise(setImmediate);
      for (const open of [segment, next]) if (open) end(open);
      segment = null;
      next = null;
      await Promise.all(closing);
      claim.release();
    },
  };
}
