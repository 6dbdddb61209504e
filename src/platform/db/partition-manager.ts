/**
 * Maintains the day partitions of all partitioned tables: creates them ahead, drops expired ones, and raises an alarm
 * (log, metric, `/readyz` degraded) when too few are ahead. Safe to run in several processes.
 */
import type { Registry } from 'prom-client';
import type { Log } from '../logging/log.ts';
import { createCollector } from '../metrics/gauges.ts';
import type { Database } from './database.ts';
import { countAhead, countStray, dropExpired, makeAhead, type PartitionedTable } from './partitions.ts';
import { currentTime } from '../time/clock.ts';

const DAYS_AHEAD = 7;
const MIN_AHEAD = 3;
const LOOK_AGAIN_MS = 60_000;

export interface PartitionManager {
  /**
   * Creates the partitions of today and the next days; await it before writing. Failures are logged: rows then go to
   * the default partition until `maintain` creates their day.
   */
  prepare(): Promise<void>;
  /**
   * Creates upcoming partitions and drops expired ones. Runs at start and every hour. Errors are logged, then thrown.
   */
  maintain(): Promise<void>;
  /** For `/readyz`. Asks the database at most once a minute. */
  check(): Promise<'ok' | 'degraded'>;
}

export function createPartitionManager(deps: {
  db: Database;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  tables: PartitionedTable[];
  registry?: Registry;
  clock?: () => Date;
}): PartitionManager {
  const { db, log, tables, registry, clock = currentTime } = deps;
  let looked: { at: number; ahead: Promise<Map<string, number>> } | null = null;

  const check = async (): Promise<Map<string, number>> => {
    const counted = tables.map(async ({ name }) => [name, await countAhead(db, name, clock())] as const);
    return new Map(await Promise.all(counted));
  };
  const ahead = (): Promise<Map<string, number>> => {
    const now = performance.now();
    if (looked === null || now - looked.at > LOOK_AGAIN_MS) {
      const entry = { at: now, ahead: check() };
      entry.ahead.catch(() => {
        if (looked === entry) looked = null;
      });
      looked = entry;
    }
    return looked.ahead;
  };

  const warn = async (): Promise<void> => {
    looked = null;
    for (const [table, days] of await ahead())
      if (days < MIN_AHEAD)
        log.warn({ table, days }, 'partitions: too few ahead, new rows will go to the default partition');
    for (const { name } of tables) {
      const stray = await countStray(db, name);
      if (stray)
        log.warn(
          { table: name, rows: stray },
          'partitions: rows outside every day, check the clocks of all nodes',
        );
    }
  };

  if (registry)
    createCollector(registry, { name: 'partitions', read: ahead, log }).labeledGauge({
      name: 'fairlead_partitions_ahead',
      help: 'Days after today that have a partition.',
      label: 'table',
      pick: (days) => days,
      aggregator: 'min', // all processes read the same tables
    });

  return {
    async prepare() {
      // All tables at the same time: a first start makes two dozen partitions, each in a transaction of its own.
      const made = tables.map(({ name, fillFactor }) =>
        makeAhead(db, name, MIN_AHEAD, clock(), fillFactor).catch((error: unknown) =>
          log.error({ err: error, table: name }, 'partitions: could not create at startup'),
        ),
      );
      await Promise.all(made);
    },
    async maintain() {
      const faults: unknown[] = [];
      for (const table of tables) {
        try {
          const made = await makeAhead(db, table.name, DAYS_AHEAD, clock(), table.fillFactor);
          const dropped = await dropExpired(db, table, clock());
          if (made.length || dropped.length) log.info({ table: table.name, made, dropped }, 'partitions');
        } catch (error) {
          log.error(
            { err: error, table: table.name },
            'partitions: could not maintain, retrying within the hour',
          );
          faults.push(error);
        }
      }
      await warn();
      if (faults.length) throw new AggregateError(faults, 'partitions could not be maintained');
    },
    async check() {
      return [...(await ahead()).values()].every((days) => days >= MIN_AHEAD) ? 'ok' : 'degraded';
    },
  };
}
