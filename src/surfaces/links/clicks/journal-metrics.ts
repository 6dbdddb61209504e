/** Metrics of the click journal of a process. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface JournalMetrics {
  recorded(clicks: number, seconds: number): void;
  /** Clicks recorded so far. */
  total(): number;
  rejected(clicks: number): void;
  /** Counts bytes that are damaged or that a truncated segment lacks. */
  damaged(bytes: number): void;
}

/** Registers the metrics. @param read returns the current state; called once per scrape */
export function createJournalMetrics(
  registry: Registry,
  read: () => { backlogBytes: number; failed: boolean },
): JournalMetrics {
  const registers = [registry];
  // Counted in variables: incrementing a prom-client counter costs more than the click itself.
  let recorded = 0;
  let rejected = 0;
  new Counter({
    name: 'fairlead_click_journal_clicks_total',
    help: 'Clicks by outcome: recorded before they were answered, or refused because they could not be recorded.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      this.inc({ outcome: 'recorded' }, recorded);
      this.inc({ outcome: 'refused' }, rejected);
    },
  });
  const commits = new Histogram({
    name: 'fairlead_click_journal_commit_seconds',
    help: 'Duration of a journal commit, from the first byte until it is acknowledged.',
    buckets: [0.00001, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5],
    registers,
  });
  const damage = new Counter({
    name: 'fairlead_click_journal_damaged_bytes_total',
    help: 'Bytes skipped because the journal is damaged. They may contain clicks.',
    registers,
  });
  new Gauge({
    name: 'fairlead_click_journal_backlog_bytes',
    help: 'Bytes of recorded clicks that are not yet loaded into the database.',
    registers,
    collect() {
      this.set(read().backlogBytes);
    },
  });
  new Gauge({
    name: 'fairlead_click_journal_failed',
    help: 'Processes whose journal cannot record clicks. Their redirects are answered with 503.',
    registers,
    collect() {
      this.set(Number(read().failed));
    },
  });
  return {
    recorded(count, seconds) {
      recorded += count;
      commits.observe(seconds);
    },
    total: () => recorded,
    rejected(count) {
      rejected += count;
    },
    damaged: (bytes) => damage.inc(bytes),
  };
}
