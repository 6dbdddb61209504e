/** Metrics of a journal of this process. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface JournalMetrics {
  recorded(records: number, seconds: number): void;
  /** Records so far. */
  total(): number;
  rejected(records: number): void;
  /** Counts bytes that are damaged or that a truncated segment lacks. */
  damaged(bytes: number): void;
}

/** What the metrics of a kind of journal are called. */
export interface JournalTexts {
  /** Such as "fairlead_click_journal". */
  metric: string;
  /** What is recorded, in the plural, in one word: "clicks". */
  records: string;
  /** What happens while nothing can be recorded: a sentence. */
  whileFailed: string;
}

/** Registers the metrics. @param read returns the current state; called once per scrape */
export function createJournalMetrics(
  registry: Registry,
  { metric, records, whileFailed }: JournalTexts,
  read: () => { backlogBytes: number; failed: boolean },
): JournalMetrics {
  const registers = [registry];
  // Counted in variables: incrementing a prom-client counter costs more than a record itself.
  let recorded = 0;
  let rejected = 0;
  new Counter({
    name: `${metric}_${records}_total`,
    help: `${records[0]!.toUpperCase()}${records.slice(1)} by outcome: recorded before they were answered, or refused because they could not be recorded.`,
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      this.inc({ outcome: 'recorded' }, recorded);
      this.inc({ outcome: 'refused' }, rejected);
    },
  });
  const commits = new Histogram({
    name: `${metric}_commit_seconds`,
    help: 'Duration of a journal commit, from the first byte until it is acknowledged.',
    buckets: [0.00001, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5],
    registers,
  });
  const damage = new Counter({
    name: `${metric}_damaged_bytes_total`,
    help: `Bytes skipped because the journal is damaged. They may contain ${records}.`,
    registers,
  });
  new Gauge({
    name: `${metric}_backlog_bytes`,
    help: `Bytes of recorded ${records} that are not yet loaded into the database.`,
    registers,
    collect() {
      this.set(read().backlogBytes);
    },
  });
  new Gauge({
    name: `${metric}_failed`,
    help: `Processes whose journal cannot record ${records}. ${whileFailed}`,
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
