/**
 * PROCESSES > 1: workers that share the port. A worker that dies is replaced, with increasing delays if it dies right
 * after its start; one that can't start fails the whole start.
 */
import cluster, { type Worker } from 'node:cluster';
import type { FastifyBaseLogger } from 'fastify';
import { AggregatorRegistry } from 'prom-client';
import { type Config, ConfigError } from '../platform/config/config.ts';
import type { PoolOptions } from '../platform/db/database.ts';
import type { ServerProcess } from './server-process.ts';

/** Messages between the primary and a worker. */
export type WorkerMessage =
  | { type: 'ready'; port: number }
  | { type: 'failed'; message: string }
  | { type: 'metrics?'; id: number }
  | { type: 'metrics'; id: number; text: string };

export const WORKER_DATABASE = 'FAIRLEAD_WORKER_DATABASE';

const SHORT_LIFE_MS = 5_000;
const MAX_WAIT_MS = 10_000;
const STOP_MS = 9_000;

export async function startWorkers(
  config: Config,
  database: PoolOptions,
  log: FastifyBaseLogger,
): Promise<ServerProcess> {
  let stopping = false;
  let wait = 100;
  const metrics = new AggregatorRegistry();

  const answerMetrics = (worker: Worker, id: number): void => {
    metrics
      .clusterMetrics()
      .then((text) => worker.send({ type: 'metrics', id, text } satisfies WorkerMessage))
      .catch((err: unknown) => log.warn({ err }, 'workers: could not collect metrics'));
  };

  const start = (): Promise<number> => {
    const bornAt = Date.now();
    const worker = cluster.fork({ [WORKER_DATABASE]: JSON.stringify(database) });
    worker.on('exit', (code, signal) => {
      if (stopping) return;
      wait = Date.now() - bornAt < SHORT_LIFE_MS ? Math.min(wait * 2, MAX_WAIT_MS) : 100;
      log.error({ code, signal, wait }, 'workers: a worker ended, starting another');
      setTimeout(
        () =>
          stopping ||
          start().catch(
            (err: unknown) => stopping || log.error({ err }, 'workers: could not start a worker'),
          ),
        wait,
      );
    });
    return new Promise((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        if (message.type === 'ready') resolve(message.port);
        else if (message.type === 'failed') reject(new ConfigError(message.message));
        else if (message.type === 'metrics?') answerMetrics(worker, message.id);
      });
      worker.once('exit', () => reject(new ConfigError('A worker ended before it was ready.')));
    });
  };

  const stop = async (): Promise<void> => {
    stopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const ended = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers) worker.process.kill('SIGTERM');
    const late = setTimeout(() => workers.forEach((worker) => worker.process.kill('SIGKILL')), STOP_MS);
    await Promise.all(ended);
    clearTimeout(late);
  };

  try {
    const [port = config.PORT] = await Promise.all(Array.from({ length: config.PROCESSES }, start));
    return { port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
