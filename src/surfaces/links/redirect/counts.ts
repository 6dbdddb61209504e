/** Metrics of redirects: visits by outcome, and the route cache. */
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

/** Plain numbers, so that a visit costs one increment. */
export type OutcomeCounts = Record<Outcome, number>;

export function createCounts(registry: Registry, map: RouteMap): OutcomeCounts {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as OutcomeCounts;
  new Counter({
    name: 'fairlead_redirects_total',
    help: 'Visits of short links by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const outcome of OUTCOMES) this.inc({ outcome }, counts[outcome]);
    },
  });
  new Counter({
    name: 'fairlead_link_map_lookups_total',
    help: 'Lookups of short links. Hits are served from memory, misses are read from the database.',
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
    help: 'Short links cached in memory, and cached slugs that do not exist.',
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
    help: 'Time since changes of short links were last read, the maximum of all processes.',
    registers: [registry],
    aggregator: 'max',
    collect() {
      const staleness = map.staleness();
      // No value before the first read.
      if (Number.isFinite(staleness)) this.set(staleness);
    },
  });
  return counts;
}
