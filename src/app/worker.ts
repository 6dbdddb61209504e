/** A worker of PROCESSES > 1: serves on the shared port; ends when its primary does. */
import cluster from 'node:cluster';
import { parseOwnJson } from '../platform/json/own-json.ts';
import type { Config } from '../platform/config/config.ts';
import type { PoolOptions } from '../platform/db/database.ts';
import { createLog } from '../platform/log.ts';
import { startServerProcess } from './server-process.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { collectMetrics } from './worker-metrics.ts';
import { WORKER_DATABASE, type WorkerMessage } from './workers.ts';

const report = (message: WorkerMessage): void => void process.send?.(message);

export async function runWorker(config: Config): Promise<void> {
  const log = createLog(config);
  const database = parseOwnJson<PoolOptions>(process.env[WORKER_DATABASE] ?? '{}');
  try {
    const running = await startServerProcess(config, database, log, {
      isFirst: cluster.worker?.id === 1,
      gatherMetrics: collectMetrics,
    });
    report({ type: 'ready', port: running.port });
    stopOnSignals(log, { drain: () => running.stop() });
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  } catch (error) {
    report({ type: 'failed', message: (error as Error).message });
    log.error({ err: error }, 'worker: could not start');
    process.exit(1);
  }
}
