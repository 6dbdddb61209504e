/**
 * Loads clicks from the journals of this process into the database. It runs in the processes that serve redirects, and
 * redirects take precedence (load-pace.ts).
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { JournalSource } from '../../../platform/journal/journal-source.ts';
import { createLoader, type Loader } from '../../../platform/journal/loader.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { ClickRecord } from './click-record.ts';
import { type LoadDeps, loadClicks, type LoadResult } from './load.ts';
import { loadTraced } from './click-spans.ts';
import { createLoadPace, type RedirectLoad } from './load-pace.ts';
import { RollupConflict } from './rollup.system-store.ts';

export interface ClickLoaderOptions extends Omit<LoadDeps, 'pace'> {
  log: Pick<Log, 'warn' | 'error'>;
  /** Returns the journals that this process currently reads. */
  sources: () => readonly JournalSource<ClickRecord>[];
  /** Load of the redirects of this process. */
  redirectLoad?: () => RedirectLoad;
  /** Called when all clicks of a journal without an active writer are loaded and committed. */
  onFinished?: (source: JournalSource<ClickRecord>) => Promise<void>;
  registry?: Registry;
}

export function createClickLoader(options: ClickLoaderOptions): Loader {
  const { units, log, sources, redirectLoad, onFinished, registry } = options;
  const pace = createLoadPace(redirectLoad);
  const deps: LoadDeps = { ...options, pace };
  const metrics = registry && createMetrics(registry, () => loader.lag());
  const loader = createLoader<ClickRecord, LoadResult>({
    name: 'click loader',
    db: units.read.db,
    log,
    sources,
    load: (...batch) => loadTraced(batch[3].length, () => loadClicks(deps, ...batch)),
    timeOf: ({ at }) => at,
    getDelay: pace.getDelay,
    isConflict: (error) => error instanceof RollupConflict,
    ...(onFinished && { onFinished }),
    onLoaded({ loaded, dropped, rejected }, seconds) {
      metrics?.seconds.observe(seconds);
      metrics?.loaded.inc(loaded);
      metrics?.dropped.inc({ reason: 'link_gone' }, dropped);
      metrics?.dropped.inc({ reason: 'refused' }, rejected);
      if (rejected) log.error({ clicks: rejected }, 'click loader: dropped clicks rejected by the database');
    },
  });
  return loader;
}

function createMetrics(registry: Registry, lag: () => number) {
  const registers = [registry];
  new Gauge({
    name: 'fairlead_clicks_lag_seconds',
    help: 'Age of the oldest unloaded click, as far as known.',
    registers,
    aggregator: 'max',
    collect() {
      this.set(lag());
    },
  });
  const dropped = new Counter({
    name: 'fairlead_clicks_dropped_total',
    help: 'Clicks that were not loaded because their link was deleted or the database rejected them.',
    labelNames: ['reason'],
    registers,
  });
  // Initialized to 0: otherwise an alert on increase() misses the first drop.
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
      help: 'Duration of loading a batch of clicks.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
  };
}
