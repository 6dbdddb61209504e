/** Metrics of rules. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Log } from '../../../platform/logging/log.ts';
import { createCollector } from '../../../platform/metrics/gauges.ts';
import type { StepOutcome } from '../ports/outcome.ts';
import type { RuleQueueHealth } from './rule-queue.system-store.ts';

export interface RuleMetrics {
  stepped(type: string, outcome: StepOutcome, seconds: number): void;
  ended(status: string, count: number): void;
}

export function createRuleMetrics(
  registry: Registry,
  deps: { read: () => Promise<RuleQueueHealth>; active: () => number; log: Pick<Log, 'info' | 'error'> },
): RuleMetrics {
  const registers = [registry];
  const { read, log } = deps;
  const { gauge } = createCollector(registry, { name: 'rules', read, log });
  gauge(
    'fairlead_rules_waiting',
    'Events waiting for rules and unfinished runs, counted up to 100,000.',
    (health) => health.waiting,
  );
  gauge(
    'fairlead_rules_oldest_due_seconds',
    'Age of the oldest due item that has not started.',
    (health) => health.oldest_due_seconds,
  );
  gauge('fairlead_rule_workers', 'Processes that run rules.', (health) => health.workers);
  new Gauge({
    name: 'fairlead_rules_active',
    help: 'Rule runs in progress.',
    registers,
    collect() {
      this.set(deps.active());
    },
  });
  const ended = new Counter({
    name: 'fairlead_rule_runs_total',
    help: 'Results of events evaluated by rules: runs by status, filtered events, and stopped runs.',
    labelNames: ['status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'fairlead_rule_step_seconds',
    help: 'Duration of rule steps by action type and result.',
    labelNames: ['type', 'outcome'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
    registers,
  });
  return {
    stepped: (type, { failure }, took) =>
      seconds.observe({ type, outcome: failure ? 'failed' : 'done' }, took),
    ended: (status, count) => ended.inc({ status }, count),
  };
}
