/** What is measured of the journal of a process. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface JournalMetrics {
  recorded(clicks: number, seconds: number): void;
  /** Clicks recorded so far. */
  total(): number;
  refused(clicks: number): void;
  /** Bytes of a journal that are no commit but should be, or were never read. */
  damaged(bytes: number): void;
}

/** @param read the present state, asked once a scrape */
export function createJournalMetrics(
  registry: Registry,
  read: () => { backlogBytes: number; failed: boolean },
): JournalMetrics {
  const registers = [registry];
  // Added up here: the counter's own way costs more than the click.
  let recorded = 0;
  let refused = 0;
  new Counter({
    name: 'fairlead_click_journal_clicks_total',
    help: 'Clicks that were recorded before they were answered, and those that could not be and were refused.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      this.inc({ outcome: 'recorded' }, recorded);
      this.inc({ outcome: 'refused' }, refused);
    },
  });
  const commits = new Histogram({
    name: 'fairlead_click_journal_commit_seconds',
    help: 'Time that a commit of the journal takes, from its first byte until it is acknowledged.',
    buckets: [0.00001, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5],
    registers,
  });
  const damage = new Counter({
    name: 'fairlead_click_journal_damaged_bytes_total',
    help: 'Bytes of journals that were skipped because they are damaged. Clicks may be lost in them.',
    registers,
  });
  new Gauge({
    name: 'fairlead_click_journal_backlog_bytes',
    help: 'Bytes of recorded clicks that are not loaded into the database yet.',
    registers,
    collect() {
      this.set(read().backlogBytes);
    },
  });
  new Gauge({
    name: 'fairlead_click_journal_failed',
    help: 'Processes whose journal can record nothing at present: their redirects are answered 503.',
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
    refused(count) {
      refused += count;
    },
    damaged: (bytes) => damage.inc(bytes),
  };
}
