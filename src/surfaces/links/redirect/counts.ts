/** What became of visits, as Prometheus reads it. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { RouteMap } from './route-map.ts';

export const OUTCOMES = [
  'redirect',
  'head',
  'not_found',
  'gone',
  'password',
  'preview',
  'card',
  'withheld',
  'root',
  'refused',
  'unavailable',
  'failed',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Numbers alone: a visit adds to one of them. */
export type Counts = Record<Outcome, number>;

export function createCounts(registry: Registry, map: RouteMap): Counts {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Counts;
  new Counter({
    name: 'fairlead_redirects_total',
    help: 'Visits of short links by what they were answered with.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const outcome of OUTCOMES) this.inc({ outcome }, counts[outcome]);
    },
  });
  new Counter({
    name: 'fairlead_link_map_lookups_total',
    help: 'Look-ups of short links: hits were answered from memory, misses asked the database.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ result: 'hit' }, map.routes.hits());
      this.inc({ result: 'miss' }, map.routes.misses());
    },
  });
  new Gauge({
    name: 'fairlead_link_map_entries',
    help: 'Short links in memory, and slugs that are known not to exist.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      const { found, missing } = map.routes.size();
      this.set({ kind: 'link' }, found);
      this.set({ kind: 'missing' }, missing);
    },
  });
  new Gauge({
    name: 'fairlead_link_map_staleness_seconds',
    help: 'Time since changes of short links were read last; the greatest of all processes.',
    registers: [registry],
    aggregator: 'max',
    collect() {
      const staleness = map.staleness();
      // Never read yet: no number.
      if (Number.isFinite(staleness)) this.set(staleness);
    },
  });
  return counts;
}
