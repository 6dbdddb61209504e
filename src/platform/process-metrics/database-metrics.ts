/** What /metrics tells of the database: whether it answers, and how the pools of connections stand. */
import type pg from 'pg';
import { Counter, Gauge, type Registry } from 'prom-client';
import { statementsSent } from '../db/database.ts';
import { settleWithin } from '../time/timeout.ts';

/** Longer than any answer to `select 1`, shorter than a scrape waits. */
const ANSWER_MS = 2_000;

/** By what they are for. The one named `control` is asked whether the database answers. */
export type MeasuredPools = { control: pg.Pool } & Record<string, pg.Pool>;

async function answers(pool: pg.Pool): Promise<boolean> {
  const asked = pool.query('select 1').then(
    () => true,
    () => false,
  );
  return (await settleWithin(asked, ANSWER_MS)) ?? false;
}

export function createDatabaseMetrics(registry: Registry, pools: MeasuredPools): void {
  const registers = [registry];
  const all = Object.entries(pools);
  new Counter({
    name: 'fairlead_database_statements_total',
    help: 'Statements sent to the database, BEGIN and COMMIT included.',
    registers,
    collect() {
      this.reset();
      this.inc(statementsSent());
    },
  });
  new Gauge({
    name: 'fairlead_database_up',
    help: 'Whether the database answered within 2 s, for this scrape.',
    registers,
    aggregator: 'min', // one process without a connection is worth an alarm
    async collect() {
      this.set(Number(await answers(pools.control)));
    },
  });
  new Gauge({
    name: 'fairlead_database_connections',
    help: 'Database connections by pool: in use, idle, and the maximum.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { totalCount, idleCount, options }] of all) {
        this.set({ pool, state: 'used' }, totalCount - idleCount);
        this.set({ pool, state: 'idle' }, idleCount);
        this.set({ pool, state: 'most' }, options.max);
      }
    },
  });
  new Gauge({
    name: 'fairlead_database_waiting',
    help: 'Requests waiting for a connection, by pool.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waitingCount }] of all) this.set({ pool }, waitingCount);
    },
  });
}
