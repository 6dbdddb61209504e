/**
 * The unit of work that services receive instead of globals.
 *
 * A write is one transaction. Actions that must wait for the commit go to `afterCommit`. They are hints to other
 * processes and may be lost.
 */
import type { EventWriter } from './event-writer.ts';
import type { JobQueue } from '../../platform/jobs/job-queue.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { currentTime } from '../../platform/time/clock.ts';
import type { Database, Db, Tx } from '../../platform/db/database.ts';

/** The unit of reads, outside any transaction. */
export interface ReadUnit {
  db: Db;
  clock: () => Date;
  newUuid: () => string;
  events: EventWriter;
  jobs: JobQueue;
  afterCommit: (action: () => void) => void;
  /** Notifies the nodes that `auth_epoch` was raised. Only a hint: nodes also notice without it, but later. */
  epochRaised: () => void;
}

/** The unit of changes: `db` is the transaction that commits all of them. */
export interface Unit extends ReadUnit {
  db: Tx;
}

export interface Units {
  /** For reads, outside any transaction. `afterCommit` runs its action immediately. */
  read: ReadUnit;
  /** Runs `work` in one transaction. `beforeCommit` may throw to roll it back. */
  write<T>(work: (unit: Unit) => Promise<T>, beforeCommit?: () => void | Promise<void>): Promise<T>;
}

export interface AppUnits extends Units {
  /** The same for requests, whose writes wait only briefly for a lock. Background work waits without that limit. */
  forRequests: Units;
}

export interface UnitsDeps {
  db: Database;
  events: EventWriter;
  jobs: JobQueue;
  clock?: () => Date;
  epochRaised?: () => void;
}

/** @param deps `requestDb` is created by `openRequestDatabase` */
export const createAppUnits = ({ requestDb, ...deps }: UnitsDeps & { requestDb: Database }): AppUnits => ({
  ...createUnits(deps),
  forRequests: createUnits({ ...deps, db: requestDb }),
});

export function createUnits(deps: UnitsDeps): Units {
  const shared = {
    clock: deps.clock ?? currentTime,
    newUuid,
    events: deps.events,
    jobs: deps.jobs,
    epochRaised: deps.epochRaised ?? (() => {}),
  };
  return {
    read: { ...shared, db: deps.db, afterCommit: (action) => action() },
    async write(work, beforeCommit) {
      const actions: (() => void)[] = [];
      const result = await deps.db.transaction().execute(async (db) => {
        const value = await work({ ...shared, db, afterCommit: (action) => actions.push(action) });
        await beforeCommit?.();
        return value;
      });
      for (const action of actions) action();
      return result;
    },
  };
}
