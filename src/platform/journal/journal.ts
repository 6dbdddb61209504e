/**
 * A journal of this process: records that are in a file before they are acknowledged.
 *
 * Group commit: records are encoded into one frame as they arrive, and a commit writes all of them. With `write`, a
 * commit is one call in the same event loop turn. With `fdatasync`, records that arrive during a commit share the next
 * one.
 *
 * A failed commit fails all of its records. The segment is cut after its last good frame and the next attempt uses
 * another segment, because a file cannot be trusted after a failed sync. While nothing can be recorded, appends fail
 * immediately. A write is attempted every second, so that an idle process recovers too.
 *
 * Invariants: at most one commit is in progress; the reader only sees acknowledged clicks; the journal never fills the
 * disk (journal-space.ts).
 */
import * as fs from 'node:fs';
import type { Registry } from 'prom-client';
import type { Log } from '../logging/log.ts';
import { startBackgroundSync } from './background-sync.ts';
import { createFrameBuffer, type RecordKind } from './frame-buffer.ts';
import { createJournalMetrics, type JournalMetrics, type JournalTexts } from './journal-metrics.ts';
import { createJournal } from './journal-owner.ts';
import { createJournalReader } from './journal-reader.ts';
import { createJournalSpace, type JournalSpaceOptions } from './journal-space.ts';
import type { JournalSource } from './journal-source.ts';
import { frameMark, sealFrame } from './segment.ts';
import { type JournalFiles, writeTo } from './segment-maker.ts';
import { createSegments } from './segments.ts';

const CHECK_INTERVAL_MS = 1_000;

type AppendCallback = (error: Error | null) => void;

/** What a kind of journal records, and how. */
export interface JournalKind<New, Kept> extends JournalTexts, RecordKind<New> {
  /** For logs, such as "click journal". */
  name: string;
  /** Reads all records of a commit. @throws if they are invalid */
  decode: (payload: Buffer) => Kept[];
}

/** The limits of JournalSpaceOptions are overridden in tests only. */
export interface JournalOptions extends JournalSpaceOptions {
  /** Directory of all journals of this kind. */
  root: string;
  /** What survives the loss of power: with `write`, nothing is waited for. */
  sync: 'write' | 'fdatasync';
  /** Syncs to disk in the background at most so often, in milliseconds. Without it, `write` leaves that to the system. */
  syncEveryMs?: number;
  log: Pick<Log, 'warn' | 'error'>;
  registry: Registry;
  /** For tests. */
  files?: JournalFiles;
  segmentMs?: number;
}

export interface ProcessJournal<New, Kept> {
  id: string;
  /**
   * Calls `done` when the record survives a crash of the process (`write`) or a power failure (`fdatasync`). Calls it with
   * an error if nothing was recorded. Never calls it synchronously.
   */
  append(record: New, done: (error: Error | null) => void): void;
  /** Read by the loader of this process. */
  source: JournalSource<Kept>;
  metrics: JournalMetrics;
  /** 'failed' while nothing can be recorded. For /readyz. */
  state(): 'ok' | 'failed';
  /** Records since the start, and bytes of those that are not loaded yet. */
  load(): { recorded: number; backlogBytes: number };
  /** Writes what is pending, rejects what comes later, and leaves the rest to the process that recovers the journal. */
  close(): Promise<void>;
}

/** The directory name of a journal. */
export const JOURNAL = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Opens a new journal for this process.
 * @throws if its directory cannot be created. A disk that fills up later is reported by `state` and to appends.
 */
export async function openProcessJournal<New, Kept>(
  kind: JournalKind<New, Kept>,
  options: JournalOptions,
): Promise<ProcessJournal<New, Kept>> {
  const { name, decode } = kind;
  const { sync, log, registry, files = fs } = options;
  const durable = sync === 'fdatasync';
  const claim = createJournal(options.root);
  const { id, folder } = claim;
  const mark = frameMark(id);

  const buffer = createFrameBuffer(kind);
  let pending: AppendCallback[] = [];
  let scheduled = false;
  let committing = false;
  let closed = false;

  /** The last write error; null after a successful write. */
  let lastError: Error | null = null;

  const segments = createSegments({
    name,
    files,
    folder,
    journalId: id,
    durable,
    segmentMs: options.segmentMs,
    log,
    isFull: () => diskSpace.full() !== null,
    onCreated() {
      if (pending.length || (lastError && segments.current())) schedule();
    },
    onUnavailable: (error) => recordFailure(error, `${name}: cannot record`),
  });
  const { usedBytes, backlogBytes } = segments;
  const diskSpace = createJournalSpace({ name, files, folder, journalId: id, usedBytes, log }, options);
  const isFailed = (): boolean => lastError !== null || diskSpace.full() !== null;
  const metrics = createJournalMetrics(registry, kind, () => ({
    backlogBytes: backlogBytes(),
    failed: isFailed(),
  }));

  const complete = (batch: AppendCallback[], error: Error | null): void => {
    for (const done of batch) {
      try {
        done(error);
      } catch (thrown) {
        log.error({ err: thrown }, `${name}: append callback failed`);
      }
    }
  };
  const reject = (batch: AppendCallback[], error: Error): void => {
    metrics.rejected(batch.length);
    complete(batch, error);
  };
  const takePending = (): { frame: Buffer; batch: AppendCallback[] } => {
    const batch = pending;
    pending = [];
    return { frame: buffer.take(), batch };
  };
  const recordFailure = (error: Error, message: string): void => {
    if (lastError === null) log.error({ err: error, journal: id }, message);
    lastError = error;
  };

  const schedule = (): void => {
    if (scheduled || committing) return;
    scheduled = true;
    setImmediate(commit);
  };
  const fail = (batch: AppendCallback[], error: Error): void => {
    recordFailure(error, `${name}: write failed, records are rejected`);
    segments.abandon();
    reject(batch, error);
    if (pending.length) schedule();
  };
  const succeed = (batch: AppendCallback[], bytes: number, began: number): void => {
    if (lastError !== null) log.warn({ journal: id }, `${name}: recording again`);
    lastError = null;
    segments.acknowledge(bytes);
    metrics.recorded(batch.length, (performance.now() - began) / 1000);
    complete(batch, null);
  };
  /** Commits what is pending. Without any, an empty frame tests whether writing works again. */
  function commit(): void {
    scheduled = false;
    if (committing) return;
    const segment = segments.current();
    if (!segment) {
      if (!segments.isCreating()) reject(takePending().batch, lastError ?? new Error(`${name}: closed`));
      return;
    }
    const began = performance.now();
    const { frame, batch } = takePending();
    try {
      sealFrame(frame, frame.length, mark);
      writeTo(files, segment, frame);
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
    segments.check(!committing);
    if (lastError && segments.current() && !committing) schedule();
    diskSpace.check();
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS);
  timer.unref();

  const stopSync = startBackgroundSync({
    files,
    everyMs: options.syncEveryMs,
    getFile: () => segments.current()?.fd ?? null,
    getTotal: metrics.total,
    failed: (err) => log.warn({ err, journal: id }, `${name}: could not sync to disk, retrying`),
  });

  await segments.createNext();

  const source = createJournalReader({
    name,
    decode,
    id,
    folder,
    log,
    damaged: metrics.damaged,
    acknowledged: segments.acknowledged,
    firstInUse: segments.firstInUse,
    onRead: segments.loadedThrough,
    onRemoved: segments.removedBefore,
  });

  return {
    id,
    source,
    metrics,
    state: () => (isFailed() ? 'failed' : 'ok'),
    load: () => ({ recorded: metrics.total(), backlogBytes: backlogBytes() }),
    append(record: New, done: AppendCallback): void {
      const rejection = closed
        ? new Error(`${name}: closed`)
        : (diskSpace.full() ?? (segments.current() === null && !segments.isCreating() ? lastError : null));
      if (rejection !== null) {
        setImmediate(reject, [done], rejection);
        return;
      }
      if (!buffer.add(record)) {
        setImmediate(reject, [done], new Error(`${name}: the buffer is full, the disk is too slow`));
        return;
      }
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
      stopSync();
      await segments.settle();
      while (pending.length || scheduled || committing) await new Promise(setImmediate);
      await segments.close();
      claim.release();
    },
  };
}
