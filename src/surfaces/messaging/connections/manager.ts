/**
 * Assigns connections to nodes: a node acquires due ones, as many as it may open concurrently, and releases those no
 * longer wanted. Any number of nodes may run it.
 *
 * Connections belong to a node while its lease lasts (queue/lease.ts). The node closes everything when it could not
 * renew for half of that time, or finds that it was frozen for as long; others wait for the whole lease. A node that
 * stops releases everything immediately. Cycles follow hints, else a poll.
 */
import { createLease } from '../../../platform/queue/lease.ts';
import type { Database } from '../../../platform/db/database.ts';
import { createPoller } from '../../../platform/queue/poller.ts';
import * as store from './connection.system-store.ts';
import { addNode, removeNode, renewNode, takeOver } from './node.system-store.ts';
import { startLogout } from './logout.ts';
import { type Session, type SessionDeps, startSession } from './session.ts';
import { settleWithin } from '../../../platform/time/timeout.ts';

/** Nobody takes over earlier than this. Half of it is enough for a restart of the database. */
const LEASE_MS = 16_000;
/** Maximum concurrent openings per node, per workspace, and of repeatedly failing connections. */
const MAX_OPENING = 50;
const ROOM = MAX_OPENING / 2;
const MAX_FAILING = MAX_OPENING / 2;
const TICK_MS = 500;
const GATHER_MS = 10;
/** Intervals at which the database and memory are compared: while their counts agree, and while they differ. */
const COMPARE_MS = 10_000;
const DIFFER_MS = 1_000;
/** Delay before a connection that this process has lost track of is reopened. */
const STRAY_MS = 2_000;
const STOP_MS = 6_000;

export interface ManagerDeps extends SessionDeps {
  /** Database connections that don't queue behind requests. */
  control: Database;
  leaseMs?: number;
}

export interface ConnectionManager {
  start(): void;
  /** Starts a cycle, because there may be something to open or close. */
  wake(): void;
  /** Finishes running sends, then closes and releases all connections; other nodes may open them immediately. */
  stop(): Promise<void>;
  /** Number of connections that are up, and being opened, by channel. */
  counts(): { up: number; opening: number };
}

export function createConnectionManager(deps: ManagerDeps): ConnectionManager {
  const { control, log, leaseMs = LEASE_MS } = deps;
  const runners = new Map<string, Session>();
  let started = false;
  let ticking: NodeJS.Timeout | undefined;
  let comparedAt = Number.NEGATIVE_INFINITY;
  let watched: AbortSignal | null = null;

  const loseAll = (): void => {
    for (const runner of runners.values()) runner.lost();
  };
  const lease = createLease({
    db: control,
    name: 'connections',
    store: { add: addNode, renew: renewNode, remove: removeNode, takeOver },
    leaseMs,
    heldMs: leaseMs / 2,
    renewMs: leaseMs / 8,
    log,
    onTakenOver: () => poller.wake(),
    onLost: loseAll,
  });

  const run = (runner: Session): void => {
    runners.set(runner.instanceId, runner);
    void runner.done.then(() => {
      if (runners.get(runner.instanceId) === runner) runners.delete(runner.instanceId);
      poller.wake();
    });
  };

  /** Releases rows of this node without a session here, and ends sessions without a row. */
  const compare = async (nodeId: string): Promise<void> => {
    comparedAt = performance.now();
    const known = new Map([...runners].map(([id, { epoch }]) => [id, epoch]));
    const rows = await store.heldBy(control, nodeId);
    const strays = rows.filter((row) => known.get(row.instance_id) !== row.epoch && !isRunning(row));
    if (strays.length) await store.release(control, nodeId, strays, STRAY_MS);
    const own = new Map(rows.map((row) => [row.instance_id, row.epoch]));
    for (const [id, epoch] of known) {
      const runner = runners.get(id);
      if (runner?.epoch === epoch && own.get(id) !== epoch) runner.lost();
    }
  };
  const isRunning = (row: { instance_id: string; epoch: number }): boolean =>
    runners.get(row.instance_id)?.epoch === row.epoch;

  const claim = async (nodeId: string, leaseSignal: AbortSignal): Promise<number> => {
    const opening = new Map<string, number>();
    let [all, failing] = [MAX_OPENING, MAX_FAILING];
    for (const runner of runners.values()) {
      if (!runner.isOpening()) continue;
      all--;
      if (runner.isFailing) failing--;
      opening.set(runner.workspaceId, (opening.get(runner.workspaceId) ?? 0) + 1);
    }
    if (all <= 0) return 0;
    const claimed = await store.claimDue(control, nodeId, {
      all,
      failing: Math.max(0, failing),
      capacity: ROOM,
      opening,
      closing: [...runners.values()].flatMap((one) => (one.isEnding() ? one.instanceId : [])),
    });
    if (!claimed.length) return 0;
    const instances = await store.loadInstances(control, claimed);
    const node = { id: nodeId, isHeld: () => !leaseSignal.aborted && lease.isHeld() };
    for (const one of claimed) {
      const instance = instances.get(one.instance_id);
      // Deleted in the meantime: its row is gone, or about to be.
      if (!instance || runners.has(one.instance_id)) continue;
      run((one.logs_out ? startLogout : startSession)(deps, node, one, instance));
    }
    return claimed.length;
  };

  const cycle = async (): Promise<'idle' | 'busy' | 'more'> => {
    if (!lease.isHeld()) return 'idle';
    const [nodeId, leaseSignal] = [lease.id(), lease.signal()];
    if (watched !== leaseSignal) {
      watched = leaseSignal;
      leaseSignal.addEventListener('abort', loseAll, { once: true });
    }
    const seen = await store.scanConnections(control, nodeId);
    for (const { instance_id: id, epoch, logs_out } of seen.changed) {
      const runner = runners.get(id);
      if (runner?.epoch === epoch) runner.supersede(logs_out);
    }
    const sinceCompared = performance.now() - comparedAt;
    if (sinceCompared > (seen.held === runners.size ? COMPARE_MS : DIFFER_MS)) await compare(nodeId);
    if (!started || !seen.due) return 'idle';
    return (await claim(nodeId, leaseSignal)) ? 'more' : 'idle';
  };

  const poller = createPoller({
    cycle,
    gatherMs: GATHER_MS,
    onError: (error, failures) => log.error({ err: error, failures }, 'connections: cycle failed, retrying'),
  });

  const tick = (): void => {
    if (!lease.isHeld()) return loseAll();
    const now = performance.now();
    const nodeId = lease.id();
    const stable = [...runners.values()].filter((runner) => runner.tick(now));
    if (stable.length)
      void store
        .clearFailures(
          control,
          stable.map(({ instanceId, epoch }) => ({ instanceId, epoch, nodeId })),
        )
        .catch((error: unknown) => log.warn({ err: error }, 'failures of connections were not forgotten'));
  };

  return {
    wake: poller.wake,
    counts() {
      const all = [...runners.values()];
      return {
        up: all.filter((runner) => runner.isUp()).length,
        opening: all.filter((runner) => runner.isOpening()).length,
      };
    },
    start() {
      if (started) return;
      started = true;
      lease.start();
      poller.start();
      ticking = setInterval(tick, TICK_MS);
    },
    async stop() {
      if (!started) return;
      started = false;
      await poller.stop();
      for (const runner of runners.values()) runner.stop();
      await settleWithin(Promise.all([...runners.values()].map(({ done }) => done)), STOP_MS);
      loseAll();
      clearInterval(ticking);
      await lease.stop();
    },
  };
}
