/**
 * Gauges whose values come from the database. A collector runs one query a scrape and sets all of its gauges from the
 * result. A collector that fails or hangs leaves its own gauges without a value, logs that once, and sets
 * `fairlead_collector_up` to 0; the other metrics keep their values.
 */
import { Gauge, type Registry } from 'prom-client';
import type { Log } from '../logging/log.ts';
import { withTimeout } from '../time/timeout.ts';
import { createFailureLog } from './failure-log.ts';

/** Well below the 10 s after which Prometheus gives up a scrape, and the 5 s that the processes wait for one another. */
const COLLECT_WITHIN_MS = 2_000;

/** All processes read the same tables: one that cannot is enough to know. */
class CollectorUp extends Gauge<'collector'> {
  static override readonly name = 'fairlead_collector_up';
  readonly collectors = new Map<string, () => Promise<unknown>>();

  constructor(registry: Registry) {
    super({
      name: CollectorUp.name,
      help: 'Whether the query of a group of gauges succeeded, for this scrape.',
      labelNames: ['collector'],
      registers: [registry],
      aggregator: 'min',
    });
  }

  override async get(): Promise<Awaited<ReturnType<Gauge['get']>>> {
    const results = [...this.collectors].map(async ([name, collect]) => [name, await collect()] as const);
    for (const [collector, seen] of await Promise.all(results))
      this.set({ collector }, Number(seen !== null));
    return super.get();
  }
}

export interface CollectorOptions<T extends object> {
  /** The value of the label `collector`. */
  name: string;
  read: () => Promise<T>;
  log: Pick<Log, 'info' | 'error'>;
}

export interface LabeledGauge<T> {
  name: string;
  help: string;
  label: string;
  /** Returns label values with their gauge values. */
  pick: (seen: T) => Iterable<readonly [label: string, value: number]>;
  /** How values of several processes are combined. */
  aggregator: 'max' | 'min';
}

export interface Collector<T> {
  gauge(name: string, help: string, pick: (seen: T) => number): void;
  labeledGauge(gauge: LabeledGauge<T>): void;
}

export function createCollector<T extends object>(
  registry: Registry,
  { name: collector, read, log }: CollectorOptions<T>,
): Collector<T> {
  const outcome = createFailureLog(log, {
    details: { collector },
    failed: 'metrics: a collector failed; its gauges have no value',
    recovered: 'metrics: the collector works again',
  });
  let reading: Promise<T> | null = null;
  /** Shared by all gauges of a scrape. A query that hangs is not sent again. */
  const readOnce = (): Promise<T> => (reading ??= read().finally(() => setImmediate(() => (reading = null))));
  const collect = async (): Promise<T | null> => {
    try {
      const seen = await withTimeout(readOnce(), COLLECT_WITHIN_MS);
      outcome.succeeded();
      return seen;
    } catch (error) {
      outcome.failed(error);
      return null;
    }
  };
  const up =
    (registry.getSingleMetric(CollectorUp.name) as CollectorUp | undefined) ?? new CollectorUp(registry);
  up.collectors.set(collector, collect);

  return {
    gauge(name, help, pick) {
      new Gauge({
        name,
        help,
        registers: [registry],
        aggregator: 'max', // all processes read the same tables
        async collect() {
          const seen = await collect();
          if (seen) this.set(pick(seen));
          else this.remove(); // `reset` would set 0
        },
      });
    },
    labeledGauge({ name, help, label, pick, aggregator }) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        aggregator,
        async collect() {
          const seen = await collect();
          this.reset();
          if (seen) for (const [value, count] of pick(seen)) this.set({ [label]: value }, count);
        },
      });
    },
  };
}
