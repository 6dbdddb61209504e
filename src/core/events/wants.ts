/**
 * Event interest: finds the workspaces for which an on-demand event type should be written.
 *
 * A workspace is interested if an enabled webhook or rule subscribes to the type, or an open stream would show it.
 * Each process registers the interest of its open streams as leased rows. Other processes see a row within a second of
 * the stream opening, and it expires a few seconds after the process dies. While the database is unavailable, no
 * on-demand events are written.
 */
import type { Database, Db } from '../../platform/db/database.ts';
import { newUuid } from '../../platform/http/ids.ts';
import type { Log } from '../../platform/logging/log.ts';
import { CATALOG, EVENT_TYPES, type EventType } from '../vocabulary/event-catalog.ts';
import * as store from './wants.system-store.ts';

const LEASE_MS = 8_000;
const RENEW_MS = 2_000;
const SWEEP_EVERY = 300;

/** Returns those of the workspaces that are interested in the type. Queries the database through `db`. */
export type InterestedWorkspaces = (
  db: Db,
  workspaceIds: readonly string[],
  type: EventType,
) => Promise<Set<string>>;

/** The same, for webhooks and rules only. */
export type Subscribed = (db: Db, workspaceIds: readonly string[], type: EventType) => Promise<string[]>;

export interface EventInterest {
  wantedBy: InterestedWorkspaces;
  /**
   * Registers the interest of an opened stream. Resolves once the interest is stored, or immediately if none of the
   * types is on demand. A failure to store it is logged and retried with the next renewal.
   * @param types null for all
   * @returns a function to call when the stream ends
   */
  hold(workspaceId: string, types: readonly EventType[] | null): Promise<() => void>;
  stop(): Promise<void>;
}

const ON_DEMAND = EVENT_TYPES.filter((type) => CATALOG[type].onDemand);

export function createEventInterest(deps: {
  db: Database;
  subscribed: Subscribed;
  log: Pick<Log, 'warn'>;
}): EventInterest {
  const { db, subscribed, log } = deps;
  const holder = newUuid();
  /** Number of interested streams, by workspace and type. */
  const held = new Map<string, store.Interest & { streams: number }>();
  let timer: NodeJS.Timeout | undefined;
  let renewals = 0;
  let running: Promise<void> = Promise.resolve();

  const report = (error: unknown): void =>
    log.warn({ err: error }, 'event interest: could not register open streams, retrying');
  /** Runs statements in sequence, so that an earlier renewal can't register released interest again. */
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
      }).catch(() => undefined); // the lease expires
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
      // If this fails, the next renewal registers the interest: the stream is opened anyway.
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
      if (interests.length) await store.releaseInterest(db, holder, interests).catch(() => undefined); // the lease expires
    },
  };
}
