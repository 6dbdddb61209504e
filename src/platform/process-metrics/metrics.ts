/** Prometheus metrics of this process; with several processes the primary adds them up (src/app/workers.ts). */
import { collectDefaultMetrics, type Metric, type Registry } from 'prom-client';
import { createDatabaseMetrics, type MeasuredPools } from './database-metrics.ts';

export interface Metrics {
  registry: Registry;
  /**
   * Counts and times an answer.
   * @param route the operation's pattern, never a path that a caller made up.
   */
  answered(method: string, route: string, status: number, ms: number): void;
}

const NAME = 'http_request_duration_seconds';
const BOUNDS_MS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

interface Series {
  labels: { method: string; route: string; status: number };
  /** Answers by the first bound that they are within; the last place is for slower ones. */
  counts: Uint32Array;
  sumMs: number;
}

function getValues({ labels, counts, sumMs }: Series) {
  let below = 0;
  const buckets = BOUNDS_MS.map((bound, index) => {
    below += counts[index]!;
    return { metricName: `${NAME}_bucket`, labels: { ...labels, le: bound / 1000 }, value: below };
  });
  const count = below + counts[BOUNDS_MS.length]!;
  return [
    ...buckets,
    { metricName: `${NAME}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${NAME}_sum`, labels, value: sumMs / 1000 },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
}

/**
 * The answers' histogram is in prom-client's form; its own costs a microsecond or two an answer, this a tenth of that.
 * @param pools of connections to the database; left out where there is none, as in a test
 */
export function createMetrics(registry: Registry, pools?: MeasuredPools): Metrics {
  collectDefaultMetrics({ register: registry });
  if (pools) createDatabaseMetrics(registry, pools);
  const all = new Map<string, Series>();
  registry.registerMetric({
    name: NAME,
    get: async () => ({
      name: NAME,
      help: 'Time from request to response, by route and status.',
      type: 'histogram',
      aggregator: 'sum',
      values: [...all.values()].flatMap(getValues),
    }),
    reset: () => all.clear(),
  } as unknown as Metric);

  return {
    registry,
    answered(method, route, status, ms) {
      const name = `${method} ${status} ${route}`;
      let series = all.get(name);
      if (!series) {
        series = {
          labels: { method, route, status },
          counts: new Uint32Array(BOUNDS_MS.length + 1),
          sumMs: 0,
        };
        all.set(name, series);
      }
      let index = 0;
      while (index < BOUNDS_MS.length && ms > BOUNDS_MS[index]!) index++;
      series.counts[index]!++;
      series.sumMs += ms;
    },
  };
}
