/** Gauges that come from one look at the database, which all processes share. */
import { Gauge, type Registry } from 'prom-client';

/**
 * @param read one look, made once a scrape for all gauges that are declared by the result
 * @returns declares a gauge. While `read` fails it has no value: a database that is away must not take the other
 * metrics along.
 */
export function createGauges<T>(registry: Registry, read: () => Promise<T>) {
  let reading: Promise<T | null> | null = null;
  const look = (): Promise<T | null> =>
    (reading ??= read()
      .catch(() => null)
      .finally(() => setImmediate(() => (reading = null))));
  return (name: string, help: string, pick: (seen: T) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator: 'max', // all processes look at the same tables
      async collect() {
        const seen = await look();
        if (seen) this.set(pick(seen));
        else this.reset();
      },
    });
  };
}
