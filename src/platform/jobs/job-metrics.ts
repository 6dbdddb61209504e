/** What /metrics tells of jobs. */
import type pg from 'pg';
import { Counter, type Registry } from 'prom-client';
import type { Log } from '../logging/log.ts';
import { createCollector } from '../metrics/gauges.ts';
import { readJobHealth } from './job-health.system-store.ts';

const OUTCOMES = ['done', 'failed', 'given_up'] as const;

export interface JobMetrics {
  /** Tells the queue as it is before anything ended: an alert on what grows sees no first step from nothing to one. */
  known(queue: string): void;
  ended(queue: string, outcome: (typeof OUTCOMES)[number]): void;
}

export function createJobMetrics(
  registry: Registry,
  pool: pg.Pool,
  log: Pick<Log, 'info' | 'error'>,
): JobMetrics {
  const { gauge } = createCollector(registry, { name: 'jobs', read: () => readJobHealth(pool), log });
  gauge(
    'fairlead_jobs_waiting',
    'Jobs that are due and not begun, counted up to 100,000.',
    (health) => health.waiting,
  );
  gauge(
    'fairlead_jobs_oldest_due_seconds',
    'How long the oldest job has been due that is not begun.',
    (health) => health.oldest_due_seconds,
  );
  const total = new Counter({
    name: 'fairlead_jobs_total',
    help: 'Completed attempts of jobs by queue: done, failed (retried while attempts are left), given_up (no attempts left).',
    labelNames: ['queue', 'outcome'],
    registers: [registry],
  });
  return {
    known(queue) {
      for (const outcome of OUTCOMES) total.inc({ queue, outcome }, 0);
    },
    ended: (queue, outcome) => total.inc({ queue, outcome }),
  };
}
