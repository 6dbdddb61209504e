/** /metrics of a worker. Any worker may be scraped, so it asks the primary, which adds up the metrics of all. */
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { WorkerMessage } from './workers.ts';

const ANSWER_MS = 6_000;

/**
 * Provides this process's metrics to the primary.
 * @returns a function that returns the metrics of all processes; it rejects if the primary doesn't respond in time
 */
export function collectMetrics(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry(); // adds the listener for requests of the primary
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
