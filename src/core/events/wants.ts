/**
 * Types of events that are made on demand: whoever could make one asks here first where it is wanted. Wanted it is where
 * an enabled webhook or rule subscribes to it, or an open stream would show it.
 *
 * A process holds a row with a lease for what its open streams want: within a second of their opening everybody sees
 * it, and a few seconds after the process died nobody any more. While the database is away nothing is made either.
 */
import type { Database, Queryable } from '../../platform/db/database.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { CATALOGUE, EVENT_TYPES, type EventType } from './catalogue.ts';
import * as store from './wants.system-store.ts';

const LEASE_MS = 8_000;
const RENEW_MS = 2_000;
const SWEEP_EVERY = 300;

/** Of the workspaces, those where events of the type are wanted. Asks the database, in the transaction given. */
export type InterestedWorkspaces = (
  db: Queryable,
  workspaceIds: readonly string[],
  type: EventType,
) => Promise<Set<string>>;

/** The same of webhooks and rules alone. */
export type Subscribed = (
  db: Queryable,
  workspaceIds: readonly string[],
  type: EventType,
) => Promise<string[]>;

export interface EventInterest {
  wantedBy: InterestedWorkspaces;
  /**
   * A stream was opened. Resolves once all processes see what it wants, or at once where that is nothing on demand.
   * @param types null for all
   * @returns to be called when it ends
   */
  hold(workspaceId: string, types: readonly EventType[] | null): Promise<() => void>;
  stop(): Promise<void>;
}

const ON_DEMAND = EVENT_TYPES.filter((type) => CATALOGUE[type].onDemand);

export function createEventInterest(deps: {
  db: Database;
  subscribed: Subscribed;
  log: { warn(details: object, message: string): void };
}): EventInterest {
  const { db, subscribed, log } = deps;
  const holder = newUuid();
  /** How many streams want it, by workspace and type. */
  const held = new Map<string, store.Interest & { streams: number }>();
  let timer: NodeJS.Timeout | undefined;
  let renewals = 0;
  let running: Promise<void> = Promise.resolve();

  const report = (error: unknown): void =>
    log.warn({ err: error }, 'what open streams want could not be told to other processes; tried again soon');
  /** One after the other, so that what is dropped is not held again by a statement that began before. */
  const serialize = (work: () => Promise<void>): Promise<void> => (running = running.then(work, work));

  const renew = async (): Promise<void> => {
    if (held.size) await store.registerInterest(db, holder, [...held.values()], LEASE_MS);
    if (renewals++ % SWEEP_EVERY === 0) await store.deleteExpiredInterest(db);
  };
  const tick = (): void => {
    void serialize(renew).catch(report);
  };
  const release = (wants: readonly store.Interest[]): void => {
    const over: store.Interest[] = [];
    for (const want of wants) {
      const entry = held.get(want.workspace_id + want.type);
      if (!entry || --entry.streams > 0) continue;
      held.delete(want.workspace_id + want.type);
      over.push(want);
    }
    if (!held.size) {
      clearInterval(timer);
      timer = undefined;
    }
    if (over.length)
      void serialize(async () => {
        const still = over.filter((want) => !held.has(want.workspace_id + want.type));
        if (still.length) await store.releaseInterest(db, holder, still);
      }).catch(() => undefined); // it ends by itself
  };

  return {
    async wantedBy(queryable, workspaceIds, type) {
      if (!workspaceIds.length) return new Set();
      const byWebhooks = await subscribed(queryable, workspaceIds, type);
      const byStreams = await store.findWanting(queryable, workspaceIds, type);
      return new Set([...byWebhooks, ...byStreams]);
    },
    async hold(workspaceId, types) {
      const wants = ON_DEMAND.filter((type) => types === null || types.includes(type)).map((type) => ({
        workspace_id: workspaceId,
        type,
      }));
      const fresh: store.Interest[] = [];
      for (const want of wants) {
        const entry = held.get(want.workspace_id + want.type);
        if (entry) entry.streams++;
        else {
          held.set(want.workspace_id + want.type, { ...want, streams: 1 });
          fresh.push(want);
        }
      }
      if (held.size && !timer) {
        timer = setInterval(tick, RENEW_MS);
        timer.unref();
      }
      // Where it fails, the next renewal tells: a stream is not refused for it.
      if (fresh.length)
        await serialize(() => store.registerInterest(db, holder, fresh, LEASE_MS)).catch(report);
      let isOver = false;
      return () => {
        if (!isOver) release(wants);
        isOver = true;
      };
    },
    async stop() {
      clearInterval(timer);
      const interests = [...held.values()];
      held.clear();
      await running.catch(() => undefined);
      if (interests.length) await store.releaseInterest(db, holder, interests).catch(() => undefined); // it ends by itself
    },
  };
}
