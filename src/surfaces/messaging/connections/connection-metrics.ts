/** Metrics of connections, so that a stall is always visible. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Log } from '../../../platform/logging/log.ts';
import { createCollector } from '../../../platform/metrics/gauges.ts';
import type { DriverError } from '../../../channels/contract/driver-error.ts';
import { INSTANCE_STATES } from '../instances/instance-state.ts';
import type { ConnectionHealth } from './connection-health.system-store.ts';

/** Counting reads every instance, so it is not done on each scrape. */
const COUNTED_EVERY_MS = 10_000;

export function createConnectionMetrics(
  registry: Registry,
  deps: {
    read: () => Promise<ConnectionHealth>;
    countByState: () => Promise<{ state: string; count: number }[]>;
    counts: () => { up: number; opening: number };
    log: Pick<Log, 'info' | 'error'>;
  },
) {
  const registers = [registry];
  const { read, log } = deps;
  const { gauge } = createCollector(registry, { name: 'connections', read, log });
  gauge(
    'fairlead_connections_stalled_seconds',
    'How long a connection has been due that no node has taken. More than some seconds: connections wait.',
    (h) => h.stalled_seconds,
  );
  gauge('fairlead_connections_held', 'Connections that nodes hold, those being opened too.', (h) => h.held);
  gauge('fairlead_connection_nodes', 'Processes that hold connections.', (h) => h.nodes);
  for (const [name, help, pick] of [
    ['up', 'Connections of this process that are up.', () => deps.counts().up],
    ['opening', 'Connections that this process is opening.', () => deps.counts().opening],
  ] as const)
    new Gauge({
      name: `fairlead_connections_${name}`,
      help,
      registers,
      collect() {
        this.set(pick());
      },
    });
  let counted = { at: Number.NEGATIVE_INFINITY, states: [] as { state: string; count: number }[] };
  createCollector(registry, {
    name: 'instances',
    async read() {
      const at = performance.now();
      if (at - counted.at >= COUNTED_EVERY_MS) counted = { at, states: await deps.countByState() };
      return counted.states;
    },
    log,
  }).labeledGauge({
    name: 'fairlead_instances',
    help: 'Instances by state, counted at most every 10 s.',
    label: 'state',
    pick: (seen) =>
      INSTANCE_STATES.map((state) => [state, seen.find((one) => one.state === state)?.count ?? 0]),
    aggregator: 'max', // all processes read the same table
  });
  const opens = new Counter({
    name: 'fairlead_connection_opens_total',
    help: 'Connection attempts by channel and outcome.',
    labelNames: ['channel', 'outcome'],
    registers,
  });
  const lost = new Counter({
    name: 'fairlead_connections_lost_total',
    help: 'Open connections that ended with an error. Each is reopened unless it was refused.',
    labelNames: ['channel', 'kind'],
    registers,
  });
  return {
    opened: (channel: string, error: DriverError | null): void =>
      opens.inc({ channel, outcome: error ? error.kind : 'opened' }),
    lost: (channel: string, error: DriverError): void => lost.inc({ channel, kind: error.kind }),
  };
}
