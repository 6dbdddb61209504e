/** Composes the connections of one process: their manager and their metrics. */
import type { Registry } from 'prom-client';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { Egress } from '../../../platform/egress/egress.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { countByState, readConnectionHealth } from './connection-health.system-store.ts';
import { createConnectionMetrics } from './connection-metrics.ts';
import type { ConnectionReceiver, ConnectionSender } from './connection-lease.ts';
import { type ConnectionManager, createConnectionManager, type ManagerDeps } from './manager.ts';
import { createStateWriter } from './state-writer.ts';
import { TIMES } from './times.ts';

/** `/readyz` reports degraded if a connection has been due without a holder for longer than this. */
const STALLED_SECONDS = 60;

export interface Connections {
  /** Call after committing a change of the desired state. A hint to all processes that only speeds things up. */
  changed(): void;
  /** Another process reported such a commit. */
  wake(): void;
  check(): Promise<'ok' | 'degraded'>;
  start(): void;
  /** Finishes running sends, then closes and releases all connections, within 6 s. */
  stop(): Promise<void>;
}

export interface ConnectionsDeps {
  /** Database connections that don't queue behind requests. */
  control: Database;
  units: Units;
  drivers: Drivers;
  secrets: SecretBox;
  egress: Egress;
  sender: ConnectionSender;
  receiver: ConnectionReceiver;
  ingress: ManagerDeps['ingress'];
  registry: Registry;
  log: ManagerDeps['log'] & Pick<Log, 'info' | 'error'>;
  /** Whether this process holds connections. */
  holds: boolean;
  /** Notifies the processes that hold connections. */
  tellOthers: () => void;
}

export function createConnections(deps: ConnectionsDeps): Connections {
  const { control, units, drivers, registry, holds, tellOthers, ...rest } = deps;
  const read = () => readConnectionHealth(control);
  const manager: ConnectionManager = createConnectionManager({
    ...rest,
    control,
    drivers,
    writer: createStateWriter({ units, drivers }),
    times: TIMES,
    onOpened: (channel, error) => metrics.opened(channel, error),
    onLost: (channel, error) => metrics.lost(channel, error),
  });
  const metrics = createConnectionMetrics(registry, {
    read,
    countByState: () => countByState(control),
    counts: manager.counts,
    log: deps.log,
  });
  return {
    changed() {
      manager.wake();
      tellOthers();
    },
    wake: manager.wake,
    check: async () => ((await read()).stalled_seconds > STALLED_SECONDS ? 'degraded' : 'ok'),
    start() {
      if (holds) manager.start();
    },
    stop: () => manager.stop(),
  };
}
