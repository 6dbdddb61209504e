/**
 * Brings clicks from the journals that this process reads into the database, from each in its order, a batch at a time.
 *
 * It runs where redirects do, and they come first (load-pace.ts). Batches grow to what can be loaded in a quarter of a
 * second. Whatever fails is tried again for ever, with growing waits: what is not loaded stays in its journal.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { backoff } from '../../../platform/queue/retry.ts';
import type { JournalSource } from './journal-source.ts';
import { createLoadPace, type Press } from './load-pace.ts';
import { type LoadDeps, type Loaded, loadClicks } from './load.ts';
import { type JournalPosition, openJournal } from './load.system-store.ts';
import { RollupsMoved } from './rollup.system-store.ts';
import { currentMs } from '../../../platform/time/clock.ts';

/** From one batch to the next, unless more is there at once: what comes meanwhile shares a transaction. */
const GATHER_MS = 100;
const BACKOFF = { firstMs: 150, maxMs: 7_500, jitter: 0.6 };
const TOLD_EVERY = 30;
const BATCH_MS = 250;
/** The same while clicks are behind anyhow: larger batches load more a second. */
const BEHIND_MS = 1_500;
const BEHIND_AFTER_SECONDS = 5;
/** Some 600 clicks: smaller batches cost nearly as much. */
const MIN_BYTES = 128 * 1024;
/** Some 10,000 clicks. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Clicks that wait for longer are told of. */
const LATE_MS = 60_000;
/** Another transaction came first: nothing is wrong. */
const CAME_FIRST = ['40001', '40P01'];

export interface LoaderOptions extends Omit<LoadDeps, 'pace'> {
  log: { warn(details: object, message: string): void; error(details: object, message: string): void };
  /** The journals that this process reads now. */
  sources: () => readonly JournalSource[];
  /** Of the redirects of this process. */
  press?: () => Press;
  /** All of a journal that nobody appends to any more is loaded, and committed. */
  onFinished?: (source: JournalSource) => Promise<void>;
  registry?: Registry;
}

export interface Loader {
  start(): void;
  /** Ends the batch that is under way; the rest is loaded after the next start. */
  stop(): Promise<void>;
  /** Loads until nothing is left that is there now. For tests and whoever stops for good. @throws what fails */
  drain(): Promise<void>;
  /** Seconds that the oldest click that is known not to be loaded has waited; 0 where there is none. */
  lag(): number;
  /** For `/readyz`. */
  check(): 'ok' | 'degraded';
}

interface Reading {
  /** Null until the database has told it. */
  position: JournalPosition | null;
  /** Time of the oldest click that waits; null where none is known to. */
  oldest: number | null;
}

export function createLoader(options: LoaderOptions): Loader {
  const { log, sources, onFinished = async () => {}, units, registry } = options;
  const pace = createLoadPace(options.press);
  const deps: LoadDeps = { ...options, pace };
  const readings = new Map<string, Reading>();
  const metrics = registry && createMetrics(registry, () => lag());
  let maxBytes = MIN_BYTES;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let started = false;
  let failures = 0;
  let failingSince: number | null = null;

  const lag = (): number => {
    const oldest = Math.min(...[...readings.values()].map((reading) => reading.oldest ?? Infinity));
    return oldest === Infinity ? 0 : Math.max(0, (currentMs() - oldest) / 1000);
  };

  const report = ({ loaded, dropped, refused }: Loaded): void => {
    metrics?.loaded.inc(loaded);
    metrics?.dropped.inc({ reason: 'link_gone' }, dropped);
    metrics?.dropped.inc({ reason: 'refused' }, refused);
    if (refused) log.error({ clicks: refused }, 'clicks were dropped that the database would not take');
  };

  const fit = (ms: number, isFull: boolean): void => {
    const max = lag() > BEHIND_AFTER_SECONDS ? BEHIND_MS : BATCH_MS;
    if (ms > max) maxBytes = Math.max(MIN_BYTES, maxBytes * Math.max(0.5, max / ms));
    else if (isFull && ms < max * 0.7) maxBytes = Math.min(MAX_BYTES, maxBytes * 1.5);
    maxBytes = Math.round(maxBytes);
  };

  /** @returns whether there may be more at once */
  const loadSome = async (source: JournalSource): Promise<boolean> => {
    let reading = readings.get(source.id);
    if (!reading) readings.set(source.id, (reading = { position: null, oldest: null }));
    reading.position ??= await openJournal(units.read.db, source.id);
    const from = reading.position;
    const part = await source.read(from.segment, from.position, maxBytes);
    const to = { segment: part.segment, position: part.position };
    const isMoved = to.segment !== from.segment || to.position !== from.position;
    if (isMoved) {
      reading.oldest = part.clicks[0]?.at ?? reading.oldest;
      const began = performance.now();
      const result = await loadClicks(deps, source.id, from, to, part.clicks);
      if (result === 'elsewhere') {
        reading.position = null;
        return false;
      }
      const ms = performance.now() - began;
      metrics?.seconds.observe(ms / 1000);
      report(result);
      fit(ms, !part.atEnd);
      reading.position = to;
      reading.oldest = part.atEnd ? null : (part.clicks.at(-1)?.at ?? null);
      if (to.segment !== from.segment) await source.loadedThrough(to.segment);
    }
    if (!part.atEnd) return isMoved;
    reading.oldest = null;
    if (!source.isLive) {
      await onFinished(source);
      readings.delete(source.id);
    }
    return false;
  };

  /** A batch of each journal. One that fails holds up no other. */
  const turn = async (): Promise<boolean> => {
    const current = sources();
    for (const id of readings.keys()) if (!current.some((source) => source.id === id)) readings.delete(id);
    let more = false;
    const faults: unknown[] = [];
    for (const source of current) {
      try {
        if (await loadSome(source)) more = true;
      } catch (error) {
        const cameFirst =
          error instanceof RollupsMoved || CAME_FIRST.includes((error as { code?: string }).code ?? '');
        if (cameFirst) more = true;
        else {
          // What was committed although its answer was lost is known by the database alone.
          const reading = readings.get(source.id);
          if (reading) reading.position = null;
          faults.push(error);
        }
      }
      if (!started && running) break;
    }
    if (faults.length) throw faults[0];
    return more;
  };

  const run = async (): Promise<void> => {
    let wait = pace.owed(lag());
    if (wait > 0) {
      running = null;
      if (started) schedule(wait);
      return;
    }
    try {
      const more = await turn();
      [failures, failingSince] = [0, null];
      wait = more ? 0 : GATHER_MS;
    } catch (error) {
      failingSince ??= performance.now();
      wait = backoff(failures + 1, BACKOFF);
      if (failures++ % TOLD_EVERY === 0)
        log.warn({ err: error, failures }, 'clicks wait: they could not be loaded');
    }
    running = null;
    if (started) schedule(wait);
  };
  const schedule = (ms: number): void => {
    timer = setTimeout(() => (running = run()), ms);
  };

  return {
    start() {
      if (started) return;
      started = true;
      schedule(0);
    },
    async stop() {
      started = false;
      clearTimeout(timer);
      await running;
    },
    async drain() {
      while (await turn());
    },
    lag,
    check() {
      const isLate =
        lag() * 1000 > LATE_MS || (failingSince !== null && performance.now() - failingSince > LATE_MS);
      return isLate ? 'degraded' : 'ok';
    },
  };
}

function createMetrics(registry: Registry, lag: () => number) {
  const registers = [registry];
  new Gauge({
    name: 'fairlead_clicks_lag_seconds',
    help: 'How long the oldest click that is known not to be loaded has waited.',
    registers,
    aggregator: 'max',
    collect() {
      this.set(lag());
    },
  });
  const dropped = new Counter({
    name: 'fairlead_clicks_dropped_total',
    help: 'Clicks that were not loaded: their link is gone, or the database refused them.',
    labelNames: ['reason'],
    registers,
  });
  // Told before there are any: an alert on what grows sees no first step from nothing to one.
  for (const reason of ['link_gone', 'refused']) dropped.inc({ reason }, 0);
  return {
    loaded: new Counter({
      name: 'fairlead_clicks_loaded_total',
      help: 'Clicks loaded into the database.',
      registers,
    }),
    dropped,
    seconds: new Histogram({
      name: 'fairlead_clicks_batch_seconds',
      help: 'How long it took to load a batch of clicks.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
  };
}
