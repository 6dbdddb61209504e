import { Registry } from 'prom-client';
import { afterEach, expect, test, vi } from 'vitest';
import { createCollector } from '../metrics/gauges.ts';

function logLines() {
  const lines: string[] = [];
  const tell = (details: object, message: string): void => {
    const { err, ...rest } = details as { err?: Error };
    lines.push([message, JSON.stringify(rest), err?.message].filter(Boolean).join(' '));
  };
  return { lines, log: { info: tell, error: tell } };
}

afterEach(() => vi.useRealTimers());

/** Samples of a scrape, without comments. */
async function scrape(registry: Registry): Promise<string[]> {
  await new Promise(setImmediate); // a scrape of its own
  return (await registry.metrics()).split('\n').filter((line) => line && !line.startsWith('#'));
}

test('a collector that fails has no value, is logged once, and takes no other along', async () => {
  const registry = new Registry();
  const { lines, log } = logLines();
  let fault: Error | null = new Error('cannot subtract infinite timestamps');
  const read = async (): Promise<{ waiting: number }> => {
    if (fault) throw fault;
    return { waiting: 3 };
  };
  const failing = createCollector(registry, { name: 'deliveries', read, log });
  failing.gauge('deliveries_waiting', 'Waiting.', ({ waiting }) => waiting);
  failing.labeledGauge({
    name: 'deliveries_by_state',
    help: 'By state.',
    label: 'state',
    pick: ({ waiting }) => [['due', waiting]],
    aggregator: 'max',
  });
  createCollector(registry, { name: 'jobs', read: async () => ({ due: 1 }), log }).gauge(
    'jobs_due',
    'Due.',
    ({ due }) => due,
  );
  for (let scrapes = 0; scrapes < 3; scrapes++)
    expect(await scrape(registry)).toEqual([
      'fairlead_collector_up{collector="deliveries"} 0',
      'fairlead_collector_up{collector="jobs"} 1',
      'jobs_due 1',
    ]);
  expect(lines).toEqual([
    'metrics: a collector failed; its gauges have no value {"collector":"deliveries"} cannot subtract infinite timestamps',
  ]);

  fault = null;
  for (let scrapes = 0; scrapes < 2; scrapes++)
    expect(await scrape(registry)).toEqual([
      'fairlead_collector_up{collector="deliveries"} 1',
      'fairlead_collector_up{collector="jobs"} 1',
      'deliveries_waiting 3',
      'deliveries_by_state{state="due"} 3',
      'jobs_due 1',
    ]);
  expect(lines.slice(1)).toEqual(['metrics: the collector works again {"collector":"deliveries"}']);
});

test('one query a scrape serves all gauges of a collector', async () => {
  const registry = new Registry();
  let reads = 0;
  const { log } = logLines();
  const { gauge } = createCollector(registry, { name: 'rules', read: async () => ({ reads: ++reads }), log });
  gauge('one', 'One.', (seen) => seen.reads);
  gauge('two', 'Two.', (seen) => seen.reads);
  for (const nth of [1, 2]) {
    expect(await scrape(registry)).toEqual([
      'fairlead_collector_up{collector="rules"} 1',
      `one ${nth}`,
      `two ${nth}`,
    ]);
  }
});

test('a query that hangs keeps no scrape waiting, and is not sent again', async () => {
  const registry = new Registry();
  let reads = 0;
  const { lines, log } = logLines();
  const hanging = createCollector(registry, {
    name: 'sends',
    read: () => {
      reads++;
      return new Promise<{ waiting: number }>(() => {});
    },
    log,
  });
  hanging.gauge('sends_waiting', 'Waiting.', ({ waiting }) => waiting);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  for (let scrapes = 0; scrapes < 2; scrapes++) {
    const samples = scrape(registry);
    await vi.waitFor(() => vi.getTimerCount() > 0);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await samples).toEqual(['fairlead_collector_up{collector="sends"} 0']);
  }
  expect(reads).toBe(1);
  expect(lines).toHaveLength(1);
});
