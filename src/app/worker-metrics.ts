/** /metrics of a worker: any of them may be asked, so it asks the primary, which adds up those of all. */
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { WorkerMessage } from './workers.ts';

const ANSWER_MS = 6_000;

/**
 * Lets the primary have this process's metrics.
 * @returns what answers for all processes; rejects when the primary doesn't answer in time.
 */
export function collectMetrics(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry(); // adds the listener by which the primary asks
  let lastId = 0;
  const waiting = new Map<number, (text: string) => void>();
  process.on('message', (message: WorkerMessage) => {
    if (message.type !== 'metrics') return;
    waiting.get(message.id)?.(message.text);
    waiting.delete(message.id);
  });
  return () => {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        waiting.delete(id);
        reject(new Error('the metrics of all processes were not gathered in time'));
      }, ANSWER_MS);
      waiting.set(id, (text) => {
        clearTimeout(late);
        resolve(text);
      });
      process.send?.({ type: 'metrics?', id } satisfies WorkerMessage);
    });
  };
}
