/** Metrics of sending. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { createCollector } from '../../../platform/metrics/gauges.ts';
import type { Outcome } from './outcome.ts';
import { readSendQueueHealth } from './send-queue-health.system-store.ts';

/**
 * @param sending returns the number of sends in progress; called once per scrape.
 * @returns a function that counts completed sends
 */
export function createSendMetrics(
  registry: Registry,
  db: Database,
  sending: () => number,
  log: Pick<Log, 'info' | 'error'>,
): (channel: string, outcome: Outcome['kind']) => void {
  const registers = [registry];
  const { gauge } = createCollector(registry, { name: 'sends', read: () => readSendQueueHealth(db), log });
  gauge(
    'fairlead_sends_waiting',
    'Messages, edits and the like that connections are still to be asked for, counted up to 100,000.',
    (health) => health.waiting,
  );
  gauge(
    'fairlead_sends_oldest_due_seconds',
    'How long the oldest of them has been due, also where its instance is away.',
    (health) => health.oldest_due_seconds,
  );
  new Gauge({
    name: 'fairlead_sends_under_way',
    help: 'Operations on connections in progress.',
    registers,
    collect() {
      this.set(sending());
    },
  });
  const ended = new Counter({
    name: 'fairlead_sends_total',
    help: 'Operations on connections by channel and outcome: sent (messages), done (others), failed, again (retried later), gone (withdrawn in the meantime).',
    labelNames: ['channel', 'outcome'],
    registers,
  });
  return (channel, outcome) => ended.inc({ channel, outcome });
}
