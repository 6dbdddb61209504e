import { Counter, Gauge, type Registry } from 'prom-client';
import type { CallResult } from '../contract/call-ledger.ts';

export interface LedgerMetrics {
  completed(outcome: CallResult['outcome'] | 'interrupted', calls?: number): void;
}

/** @param sizes of this process: calls that are not completed, and results that wait for the database */
export function createLedgerMetrics(
  registry: Registry,
  sizes: { open: () => number; waiting: () => number },
): LedgerMetrics {
  const registers = [registry];
  new Gauge({
    name: 'fairlead_model_calls_open',
    help: 'Model calls in progress.',
    registers,
    collect() {
      this.set(sizes.open());
    },
  });
  new Gauge({
    name: 'fairlead_model_call_results_waiting',
    help: 'Results of model calls that could not be recorded yet.',
    registers,
    collect() {
      this.set(sizes.waiting());
    },
  });
  const calls = new Counter({
    name: 'fairlead_model_calls_total',
    help: 'Recorded model calls by outcome: succeeded, failed, canceled, interrupted.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    completed(outcome, count = 1) {
      calls.inc({ outcome }, count);
    },
  };
}
