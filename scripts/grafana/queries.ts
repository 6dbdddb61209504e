/** What panels of the dashboard are made of: a title, a unit, and queries in PromQL over the processes that are chosen. */
type Unit = 's' | 'bytes' | 'short' | 'reqps' | 'ops' | 'percentunit';

export interface Panel {
  title: string;
  unit: Unit;
  /** Legend → expression in PromQL. `$job` and `$instance` are variables of the dashboard. */
  queries: Record<string, string>;
  describe: string;
  kind?: 'stat' | 'timeseries';
  /** Green below the first, yellow below the second, else red; turned round where the first is greater. */
  thresholds?: [number, number];
}

const SELECTOR = 'job=~"$job",instance=~"$instance"';
const RATE = '$__rate_interval';

/** A metric of the chosen processes. @param labels further conditions, as `outcome="failed"` */
export const of = (metric: string, labels = ''): string =>
  `${metric}{${SELECTOR}${labels ? `,${labels}` : ''}}`;
export const rate = (metric: string, by: string, labels = ''): string =>
  `sum by (${by}) (rate(${of(metric, labels)}[${RATE}]))`;
export const total = (metric: string, labels = ''): string => `sum(rate(${of(metric, labels)}[${RATE}]))`;
export const quantile = (share: number, histogram: string, labels = ''): string =>
  `histogram_quantile(${share}, sum by (le) (rate(${of(`${histogram}_bucket`, labels)}[${RATE}])))`;
export const quantiles = (histogram: string, labels = ''): Record<string, string> => ({
  p50: quantile(0.5, histogram, labels),
  p95: quantile(0.95, histogram, labels),
  p99: quantile(0.99, histogram, labels),
});

/** Streams stay open and models take their time: neither says how fast the server is. */
export const QUICK = 'route!~".*(stream|chat/completions|responses|embeddings|/metrics).*"';
