/**
 * The sequencer: a poller that moves committed outbox rows into the event log, about 500 per transaction.
 *
 * Any number of processes may run it concurrently (platform/queue/poller.ts). A row that the log rejects is moved to
 * outbox_rejected, logged and counted. Any other failure is retried indefinitely, because the row did not cause it.
 */
import { Counter, type Registry } from 'prom-client';
import { type Database, isRowError } from '../../platform/db/database.ts';
import type { Log } from '../../platform/logging/log.ts';
import { createPoller, type Poller } from '../../platform/queue/poller.ts';
import { createCollector } from '../../platform/metrics/gauges.ts';
import * as store from './sequencer.system-store.ts';

const BATCH = 500;
/** Hints that arrive closer together than this share a transaction. */
const GATHER_MS = 4;

/** Returns at most `most` of the buckets, each with the same probability. */
function pickBuckets(buckets: number[], max: number): number[] {
  if (buckets.length <= max) return buckets;
  const first = Math.floor(Math.random() * buckets.length);
  return [...buckets, ...buckets].slice(first, first + max);
}

export interface SequencerDeps {
  db: Database;
  log: Pick<Log, 'info' | 'error'>;
  /**
   * Runs in the transaction that inserts the events, so its writes commit together with them. The events are in no
   * particular order. An error rolls back the batch, which is retried. It must not fail because of an event's content.
   */
  fanOut?: store.FanOut;
  /** Called after the commit, as a hint to readers. */
  onSequenced?: (events: store.Sequenced[]) => void;
  registry?: Registry;
}

export interface Sequencer extends Poller {
  lag(): Promise<store.Lag>;
}

export function createSequencer(deps: SequencerDeps): Sequencer {
  const { db, log, fanOut = async () => {}, onSequenced = () => {}, registry } = deps;
  /** Rows per transaction: BATCH, or fewer while they fan out to too many deliveries. */
  let batch = BATCH;
  const counters = registry && createMetrics(registry, () => store.readLag(db), log);

  const reportMoved = (moved: store.Sequenced[]): void => {
    if (!moved.length) return;
    counters?.sequenced.inc(moved.length);
    onSequenced(moved);
  };

  /** Moves row by row up to the rejected row and sets that aside. The rows behind it are moved in batches again. */
  const isolateRejectedRow = async (bucket: number): Promise<void> => {
    for (let count = 0; count < BATCH; count++) {
      const n = await store.getFirstRow(db, bucket);
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
          'sequencer: event rejected by the log, moved to outbox_rejected',
        );
        return;
      }
    }
  };

  const cycle = async (): Promise<'idle' | 'busy' | 'more'> => {
    const buckets = await store.findBuckets(db);
    if (!buckets.length) return 'idle';
    try {
      const { events, more } = await store.moveRows(db, pickBuckets(buckets, batch), batch, fanOut);
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
      for (const bucket of buckets) await isolateRejectedRow(bucket);
      return 'more';
    }
  };

  const poller = createPoller({
    cycle,
    gatherMs: GATHER_MS,
    onError: (error, failures) => log.error({ err: error, failures }, 'sequencer: batch failed, retrying'),
  });
  return { ...poller, lag: () => store.readLag(db) };
}

function createMetrics(registry: Registry, read: () => Promise<store.Lag>, log: Pick<Log, 'info' | 'error'>) {
  const { gauge } = createCollector(registry, { name: 'outbox', read, log });
  gauge(
    'fairlead_outbox_waiting',
    'Events waiting to be sequenced, counted up to 100,000.',
    (lag) => lag.waiting,
  );
  gauge(
    'fairlead_outbox_oldest_seconds',
    'Age of the oldest event waiting to be sequenced.',
    (lag) => lag.seconds,
  );
  gauge('fairlead_outbox_rejected', 'Events set aside because the log rejected them.', (lag) => lag.rejected);
  return {
    sequenced: new Counter({
      name: 'fairlead_events_sequenced_total',
      help: 'Events sequenced into the log.',
      registers: [registry],
    }),
  };
}
