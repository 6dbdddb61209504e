/** Metrics of deliveries, so that a stall is visible. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Log } from '../../../platform/logging/log.ts';
import { createCollector } from '../../../platform/metrics/gauges.ts';
import type { QueueHealth } from './queue-health.system-store.ts';
import type { Completed } from './complete.system-store.ts';

export function createDeliveryMetrics(
  registry: Registry,
  deps: { read: () => Promise<QueueHealth>; sending: () => number; log: Pick<Log, 'info' | 'error'> },
): { attempted: (completed: Completed) => void } {
  const registers = [registry];
  const { read, log } = deps;
  const { gauge } = createCollector(registry, { name: 'deliveries', read, log });
  gauge(
    'fairlead_deliveries_waiting',
    'Deliveries that are not over, counted up to 100,000.',
    (h) => h.waiting,
  );
  gauge(
    'fairlead_deliveries_stalled_seconds',
    'How long a delivery has been due that should have been claimed. More than some seconds: deliveries stall.',
    (h) => h.stalled_seconds,
  );
  gauge(
    'fairlead_deliveries_oldest_due_seconds',
    'How long the oldest due delivery has waited, for its receiver too.',
    (h) => h.oldest_due_seconds,
  );
  gauge('fairlead_webhooks_failing', 'Enabled webhooks whose last attempts failed.', (h) => h.failing);
  gauge('fairlead_webhooks_disabled', 'Number of disabled webhooks.', (h) => h.disabled);
  gauge('fairlead_delivery_workers', 'Processes that send deliveries.', (h) => h.workers);
  new Gauge({
    name: 'fairlead_deliveries_sending',
    help: 'Attempts in progress.',
    registers,
    collect() {
      this.set(deps.sending());
    },
  });
  const attempts = new Counter({
    name: 'fairlead_delivery_attempts_total',
    help: 'Completed attempts by the resulting state of the delivery.',
    labelNames: ['outcome'],
    registers,
  });
  const duration = new Histogram({
    name: 'fairlead_delivery_attempt_seconds',
    help: 'Duration of attempts.',
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers,
  });
  return {
    attempted({ outcome, attempt }) {
      attempts.inc({ outcome });
      if (attempt) duration.observe(attempt.duration_ms / 1000);
    },
  };
}
