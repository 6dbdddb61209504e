/** Composes deliveries in one process: fan-out with the sequencer, sending, and metrics. */
import type { Registry } from 'prom-client';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { FanOut } from '../../events/sequencer.system-store.ts';
import type { Rendering } from '../kinds/webhook-body.ts';
import { createDeliveryBodies } from './bodies.ts';
import { createDeliveryMetrics } from './delivery-metrics.ts';
import { createFanOut } from './fan-out.ts';
import { readQueueHealth } from './queue-health.system-store.ts';
import { createReceiverConfigs } from './receiver-configs.ts';
import type { Exchange } from './sender.ts';
import { createDeliveryWorker, type WorkerDeps } from './worker.ts';

/** `/readyz` says degraded where something has been due for longer although it could be sent. */
const STALLED_SECONDS = 60;

export interface DeliveryEngine {
  fanOut: FanOut;
  /** Called after a fan-out has committed. */
  onSequenced(): void;
  /** A hint that there may be deliveries to send; it only reduces latency. */
  wake(): void;
  check(): Promise<'ok' | 'degraded'>;
  start(): void;
  stop(): Promise<void>;
}

export interface DeliveryEngineDeps extends Pick<WorkerDeps, 'disable'> {
  log: WorkerDeps['log'] & Pick<Log, 'info' | 'error'>;
  /** Connections that don't wait behind requests. */
  control: Database;
  secrets: SecretBox;
  exchange: Exchange;
  registry: Registry;
  /** Whether this process sends. */
  sends: boolean;
  /** Renders templates of webhooks. */
  rendering: Rendering;
  /** Notifies the sending processes if this one doesn't send. */
  tellOthers: () => void;
}

export function createDeliveryEngine(deps: DeliveryEngineDeps): DeliveryEngine {
  const { control, secrets, sends, tellOthers, registry, rendering, ...rest } = deps;
  const read = () => readQueueHealth(control);
  const worker = createDeliveryWorker({
    ...rest,
    db: control,
    configs: createReceiverConfigs(control, secrets),
    bodies: createDeliveryBodies(rendering),
    onAttempt: (completed) => metrics.attempted(completed),
  });
  const metrics = createDeliveryMetrics(registry, { read, sending: () => worker.sending(), log: deps.log });
  const wake = (): void => (sends ? worker.wake() : tellOthers());
  let hasQueued = false;
  return {
    fanOut: createFanOut(() => {
      hasQueued = true;
    }),
    onSequenced() {
      if (hasQueued) wake();
      hasQueued = false;
    },
    wake,
    check: async () => ((await read()).stalled_seconds > STALLED_SECONDS ? 'degraded' : 'ok'),
    start() {
      if (sends) worker.start();
    },
    stop: () => worker.stop(),
  };
}
