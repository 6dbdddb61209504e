/**
 * The journal of a process: what is clicked is on disk before it is answered.
 *
 * Group commit: clicks are encoded into one frame as they come, and a commit takes all that came until then. With
 * `write` that is one call in the turn of the event loop in which they came; with `fdatasync` what comes while one
 * commit is under way goes together into the next.
 *
 * A commit that fails fails all of its clicks. The segment ends where it was good, and the next attempt uses another
 * one; after a failed sync nothing more may be believed of that file. While nothing can be recorded appends fail at
 * once, and an attempt is made each second, so that a node without visitors recovers too.
 *
 * Invariants: one commit is under way at a time; the reader sees what is acknowledged and nothing else; the disk is not
 * filled (journal-room.ts).
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { encodeClick, MAX_RECORD_BYTES, recordSpace } from './click-codec.ts';
import type { ClickJournal, NewClick } from './click-record.ts';
import { createJournalMetrics, type JournalMetrics } from './journal-metrics.ts';
import { claimJournal } from './journal-owner.ts';
import { createJournalReader } from './journal-reader.ts';
import { bytesFrom, createJournalSpace, type JournalSpaceOptions } from './journal-room.ts';
import type { JournalSource } from './journal-source.ts';
import type { Press } from './load-pace.ts';
import { FRAME_HEADER_BYTES, frameMark, MAX_FRAME_BYTES, sealFrame } from './segment.ts';
import { endSegment, isStale, type JournalFiles, makeSegment, type Segment } from './segment-maker.ts';

const FIRST_SPACE_BYTES = 64 * 1024;
const LOOK_EVERY_MS = 1_000;

type Done = (error: Error | null) => void;

/** The bounds of RoomOptions are for tests. */
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
  /** For the loader of this process. */
  source: JournalSource;
  metrics: JournalMetrics;
  /** 'failed' while clicks can't be recorded, and so no visit is redirected: for /readyz. */
  state(): 'ok' | 'failed';
  press(): Press;
  /** Records what was appended, refuses what comes later, and leaves what is not loaded to whoever adopts it. */
  close(): Promise<void>;
}

/** Where journals lie. */
export const journalsFolder = (dataDir: string): string => join(dataDir, 'clicks');

/**
 * Opens a new journal for this process.
 * @throws where its folder can't be made; a disk that is full later on is told by `state` and by what appends get
 */
export async function createClickJournal(options: JournalOptions): Promise<ProcessJournal> {
  const { sync, log, registry, files = fs } = options;
  const durable = sync === 'fdatasync';
  const held = claimJournal(journalsFolder(options.dataDir));
  const { id, folder } = held;
  const mark = frameMark(id);

  let space = recordSpace(FIRST_SPACE_BYTES);
  let filled = FRAME_HEADER_BYTES;
  let waiting: Done[] = [];
  let scheduled = false;
  let committing = false;
  let closed = false;

  let segment: Segment | null = null;
  let next: Segment | null = null;
  let making: Promise<void> | null = null;
  let [numbers, filledOnes] = [0, 0];
  /** Why the last attempt to record failed. */
  let fault: Error | null = null;
  const endings = new Set<Promise<void>>();

  /** Acknowledged bytes of each segment that is still there. */
  const ends = new Map<number, number>();
  let loaded = { segment: 0, position: 0 };

  const taken = (): number => bytesFrom(ends, { segment: 0, position: 0 });
  const room = createJournalSpace({ files, folder, journalId: id, taken, log }, options);
  const isFailed = (): boolean => fault !== null || room.full() !== null;
  const backlogBytes = (): number => bytesFrom(ends, loaded);
  const metrics = createJournalMetrics(registry, () => ({
    backlogBytes: backlogBytes(),
    failed: isFailed(),
  }));

  const complete = (batch: Done[], error: Error | null): void => {
    for (const done of batch) {
      try {
        done(error);
      } catch (thrown) {
        log.error({ err: thrown }, 'what waited for a click to be recorded failed');
      }
    }
  };
  const refuse = (batch: Done[], error: Error): void => {
    metrics.refused(batch.length);
    complete(batch, error);
  };
  const takeWaiting = (): Done[] => {
    const batch = waiting;
    waiting = [];
    filled = FRAME_HEADER_BYTES;
    return batch;
  };
  const tellFault = (error: Error, message: string): void => {
    if (fault === null) log.error({ err: error, journal: id }, message);
    fault = error;
  };

  const end = (old: Segment): void => {
    const ending = endSegment(files, old)
      .catch((error: unknown) =>
        log.warn({ err: error, journal: id }, 'a segment of clicks could not be cut'),
      )
      .finally(() => endings.delete(ending));
    endings.add(ending);
  };
  const schedule = (): void => {
    if (scheduled || committing) return;
    scheduled = true;
    setImmediate(commit);
  };
  const use = (made: Segment): void => {
    segment = Object.assign(made, { since: performance.now() });
    ends.set(made.number, made.end);
    void make();
  };
  /** Lays out the segment after this one. */
  const make = (): Promise<void> | null => {
    if (making || next || closed || room.full()) return making;
    making = makeSegment(files, { folder, journalId: id, number: numbers, filled: filledOnes, durable })
      .then(
        (made) => {
          numbers++;
          making = null;
          if (segment) next = made;
          else use(made);
        },
        (error: Error) => {
          making = null;
          if (segment) log.warn({ err: error, journal: id }, 'the next segment of clicks could not be made');
          else tellFault(error, 'clicks can not be recorded');
        },
      )
      .then(() => {
        if (waiting.length || (fault && segment)) schedule();
      });
    return making;
  };

  const goOn = (from: Segment, to: Segment): void => {
    next = null;
    end(from);
    use(to);
  };

  const fail = (batch: Done[], error: Error): void => {
    tellFault(error, 'clicks could not be recorded');
    const broken = segment!;
    segment = null;
    if (next) goOn(broken, next);
    else {
      end(broken);
      void make();
    }
    refuse(batch, error);
    if (waiting.length) schedule();
  };
  const succeed = (batch: Done[], bytes: number, began: number): void => {
    if (fault !== null) log.warn({ journal: id }, 'clicks can be recorded again');
    fault = null;
    const now = segment!;
    now.end += bytes;
    ends.set(now.number, now.end);
    if (now.end >= now.size && next) {
      filledOnes++;
      goOn(now, next);
    }
    metrics.recorded(batch.length, (performance.now() - began) / 1000);
    complete(batch, null);
  };
  const write = (bytes: Buffer, to: Segment): void => {
    for (let done = 0; done < bytes.length;) {
      const written = files.writeSync(to.fd, bytes, done, bytes.length - done, to.end + done);
      if (written === 0) throw new Error('The file system took nothing of a commit');
      done += written;
    }
  };

  /** Of what waits, be it nothing: then it is an attempt whether anything can be recorded again. */
  function commit(): void {
    scheduled = false;
    if (committing) return;
    if (!segment) {
      if (!making) refuse(takeWaiting(), fault ?? new Error('The journal is closed'));
      return;
    }
    const began = performance.now();
    const frame = space.bytes.subarray(0, filled);
    const batch = takeWaiting();
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
      if (waiting.length) schedule();
    });
  }

  const check = (): void => {
    if (!segment || !next) void make();
    else if (!committing && isStale(segment, loaded, options.segmentMs)) goOn(segment, next);
    if (fault && segment && !committing) schedule();
    room.check();
  };
  const timer = setInterval(check, LOOK_EVERY_MS);
  timer.unref();

  await make();

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
    press: () => ({ recorded: metrics.total(), backlogBytes: backlogBytes() }),
    append(click: NewClick, done: Done): void {
      const refusal = closed
        ? new Error('The journal is closed')
        : (room.full() ?? (segment === null && making === null ? fault : null));
      if (refusal !== null) {
        setImmediate(refuse, [done], refusal);
        return;
      }
      if (filled + MAX_RECORD_BYTES > space.bytes.length) {
        if (space.bytes.length >= MAX_FRAME_BYTES) {
          setImmediate(refuse, [done], new Error('More clicks come than the disk takes'));
          return;
        }
        const larger = recordSpace(space.bytes.length * 2);
        space.bytes.copy(larger.bytes, 0, 0, filled);
        space = larger;
      }
      filled = encodeClick(click, space, filled);
      waiting.push(done);
      if (!scheduled && !committing) {
        scheduled = true;
        setImmediate(commit);
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      await making;
      while (waiting.length || scheduled || committing) await new Promise(setImmediate);
      for (const open of [segment, next]) if (open) end(open);
      segment = null;
      next = null;
      await Promise.all(endings);
      held.release();
    },
  };
}
