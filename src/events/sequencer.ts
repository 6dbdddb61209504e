/**
 * The loop that turns what was written into what can be read: it moves committed outbox rows into the log, some 500
 * in a transaction. Any number of processes may run it at once.
 *
 * It is woken by hints (a commit here, a notification from elsewhere) and polls besides: every 20 ms while there is
 * work, more and more seldom down to every 250 ms while there is none. Nothing depends on a hint.
 *
 * A row that the log can't take is set aside (outbox_rejected), logged and counted. Whatever else fails is tried
 * again, for ever: it is not the row's fault.
 */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import * as store from './sequencer.system-store.ts';

const BATCH = 500;
const BUSY_MS = 20;
const IDLE_MS = 250;
/** Hints that come closer together than this share a transaction. */
const GATHER_MS = 4;
const MOST_BACKOFF_MS = 2_000;

/** SQLSTATE classes that speak of the row itself: data, constraints, size. */
const ROW_FAULT = /^(22|23|54)...$/;
const isRowFault = (error: unknown): boolean => ROW_FAULT.test((error as { code?: string }).code ?? '');

/** At most `most` of them, each as likely as any other. */
function someOf(buckets: number[], most: number): number[] {
  if (buckets.length <= most) return buckets;
  const first = Math.floor(Math.random() * buckets.length);
  return [...buckets, ...buckets].slice(first, first + most);
}

interface Log {
  error(details: object, message: string): void;
}

export interface SequencerDeps {
  db: Database;
  log: Log;
  /**
   * Joins the transaction that enters events: what it writes is there if and only if they are. It is given them in
   * no order. What it throws undoes the batch, which is tried again; it must not fail for what an event holds.
   */
  fanOut?: store.FanOut;
  /** After the commit: a hint for those who read. */
  onSequenced?: (events: store.Sequenced[]) => void;
  registry?: Registry;
}

export interface Sequencer {
  start(): void;
  /** There may be something to do. */
  wake(): void;
  /** Resolves once the running transaction is over. */
  stop(): Promise<void>;
  lag(): Promise<store.Lag>;
}

export function createSequencer(deps: SequencerDeps): Sequencer {
  const { db, log, fanOut = async () => {}, onSequenced = () => {}, registry } = deps;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let started = false;
  let hinted = false;
  let delay = BUSY_MS;
  let failures = 0;
  /** Rows of a transaction: BATCH, or fewer while they make too many deliveries. */
  let batch = BATCH;
  let lastRun = Number.NEGATIVE_INFINITY;
  const counters = registry && createMetrics(registry, () => store.readLag(db));

  const tell = (moved: store.Sequenced[]): void => {
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
        tell(events);
      } catch (error) {
        if (!isRowFault(error)) throw error;
        if (!(await store.rejectRow(db, bucket, n, String(error)))) return;
        log.error(
          { err: error, outbox_n: n },
          'an event cannot be entered into the log and was set aside in outbox_rejected',
        );
        return;
      }
    }
  };

  /** @returns whether there was anything to move, here or by somebody else. */
  const pass = async (): Promise<boolean> => {
    const buckets = await store.findBuckets(db);
    if (!buckets.length) return false;
    try {
      const { events, more } = await store.moveRows(db, someOf(buckets, batch), batch, fanOut);
      tell(events);
      if (more || batch < BATCH) hinted = true;
      batch = Math.min(BATCH, batch * 2);
    } catch (error) {
      if (error instanceof store.BatchTooLarge && batch > 1) {
        batch = Math.ceil(batch / 4);
        hinted = true;
        return true;
      }
      if (!isRowFault(error)) throw error;
      for (const bucket of buckets) await moveAround(bucket);
      hinted = true;
    }
    return true;
  };

  const run = async (): Promise<void> => {
    hinted = false;
    lastRun = performance.now();
    try {
      const busy = await pass();
      failures = 0;
      delay = busy ? BUSY_MS : Math.min(delay * 2, IDLE_MS);
    } catch (error) {
      delay = Math.min(BUSY_MS * 2 ** ++failures, MOST_BACKOFF_MS);
      hinted = false;
      if (failures === 1 || failures % 30 === 0)
        log.error({ err: error, failures }, 'events wait: they could not be sequenced');
    }
  };

  const next = (): void => {
    running = null;
    if (started) schedule(hinted && failures === 0 ? GATHER_MS - (performance.now() - lastRun) : delay);
  };
  const schedule = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => (running = run().finally(next)), Math.max(0, ms));
  };

  return {
    start() {
      if (started) return;
      started = true;
      schedule(0);
    },
    wake() {
      if (hinted || !started) return;
      hinted = true;
      if (running === null && failures === 0) schedule(GATHER_MS - (performance.now() - lastRun));
    },
    async stop() {
      started = false;
      clearTimeout(timer);
      await running;
    },
    lag: () => store.readLag(db),
  };
}

function createMetrics(registry: Registry, readLag: () => Promise<store.Lag>) {
  const registers = [registry];
  let reading: Promise<store.Lag | null> | null = null;
  // One reading a scrape; a database that is away must not take the other metrics along.
  const read = (): Promise<store.Lag | null> =>
    (reading ??= readLag()
      .catch(() => null)
      .finally(() => setImmediate(() => (reading = null))));
  const gauge = (name: string, help: string, pick: (lag: store.Lag) => number): void => {
    new Gauge({
      name,
      help,
      registers,
      aggregator: 'max', // all processes look at the same table
      async collect() {
        const lag = await read();
        if (lag) this.set(pick(lag));
        else this.reset();
      },
    });
  };
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
      registers,
    }),
  };
}
