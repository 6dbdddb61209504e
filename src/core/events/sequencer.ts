/**
 * The loop that turns what was written into what can be read: it moves committed outbox rows into the log, some 500
 * in a transaction. Any number of processes may run it at once (db/poll-loop.ts).
 *
 * A row that the log can't take is set aside (outbox_rejected), logged and counted. Whatever else fails is tried
 * again, for ever: it is not the row's fault.
 */
import { Counter, type Registry } from 'prom-client';
import { type Database, isRowError } from '../../platform/db/database.ts';
import { createPollLoop, type PollLoop } from '../../platform/db/poll-loop.ts';
import type { StateLog } from '../../platform/http/failure-log.ts';
import { createCollector } from '../../platform/metrics/gauges.ts';
import * as store from './sequencer.system-store.ts';

const BATCH = 500;
/** Hints that come closer together than this share a transaction. */
const GATHER_MS = 4;

/** At most `most` of them, each as likely as any other. */
function someOf(buckets: number[], max: number): number[] {
  if (buckets.length <= max) return buckets;
  const first = Math.floor(Math.random() * buckets.length);
  return [...buckets, ...buckets].slice(first, first + max);
}

export interface SequencerDeps {
  db: Database;
  log: StateLog;
  /**
   * Joins the transaction that enters events: what it writes is there if and only if they are. It is given them in
   * no order. What it throws undoes the batch, which is tried again; it must not fail for what an event holds.
   */
  fanOut?: store.FanOut;
  /** After the commit: a hint for those who read. */
  onSequenced?: (events: store.Sequenced[]) => void;
  registry?: Registry;
}

export interface Sequencer extends PollLoop {
  lag(): Promise<store.Lag>;
}

export function createSequencer(deps: SequencerDeps): Sequencer {
  const { db, log, fanOut = async () => {}, onSequenced = () => {}, registry } = deps;
  /** Rows of a transaction: BATCH, or fewer while they make too many deliveries. */
  let batch = BATCH;
  const counters = registry && createMetrics(registry, () => store.readLag(db), log);

  const reportMoved = (moved: store.Sequenced[]): void => {
    if (!moved.length) return;
    counters?.sequenced.inc(moved.length);
    onSequenced(moved);
  };

  /** Row by row to the one at fault, which is set aside; what stands behind it goes by the common way again. */
  const moveAround = async (bucket: number): Promise<void> => {
    for (let count = 0; count < BATCH; count++) {
      const n = await store.headOf(db, bucket);
      if (n === null) return;
      try {
        const { locked, events } = await store.moveRow(db, bucket, n, fanOut);
        if (!locked) return;
        reportMoved(events);
      } catch (error) {
        if (!isRowError(error)) throw error;
        if (!(await store.rejectRow(db, bucket, n, String(error)))) return;
        log.error(
          { err: error, outbox_n: n },
          'an event cannot be entered into the log and was set aside in outbox_rejected',
        );
        return;
      }
    }
  };

  const pass = async (): Promise<'idle' | 'busy' | 'more'> => {
    const buckets = await store.findBuckets(db);
    if (!buckets.length) return 'idle';
    try {
      const { events, more } = await store.moveRows(db, someOf(buckets, batch), batch, fanOut);
      reportMoved(events);
      const isCut = batch < BATCH;
      batch = Math.min(BATCH, batch * 2);
      return more || isCut ? 'more' : 'busy';
    } catch (error) {
      if (error instanceof store.BatchTooLarge && batch > 1) {
        batch = Math.ceil(batch / 4);
        return 'more';
      }
      if (!isRowError(error)) throw error;
      for (const bucket of buckets) await moveAround(bucket);
      return 'more';
    }
  };

  const loop = createPollLoop({
    turn: pass,
    gatherMs: GATHER_MS,
    onFault: (error, failures) =>
      log.error({ err: error, failures }, 'events wait: they could not be sequenced'),
  });
  return { ...loop, lag: () => store.readLag(db) };
}

function createMetrics(registry: Registry, read: () => Promise<store.Lag>, log: StateLog) {
  const { gauge } = createCollector(registry, { name: 'outbox', read, log });
  gauge(
    'fairlead_outbox_waiting',
    'Events that wait to enter the log, counted up to 100,000.',
    (lag) => lag.waiting,
  );
  gauge(
    'fairlead_outbox_oldest_seconds',
    'Age of the oldest event that waits to enter the log.',
    (lag) => lag.seconds,
  );
  gauge(
    'fairlead_outbox_rejected',
    'Events set aside because the log cannot take them.',
    (lag) => lag.rejected,
  );
  return {
    sequenced: new Counter({
      name: 'fairlead_events_sequenced_total',
      help: 'Events entered into the log.',
      registers: [registry],
    }),
  };
}
