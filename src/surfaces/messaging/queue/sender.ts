/**
 * What sends: one loop for all connections that this node holds.
 *
 * A turn is one transaction that waits for nobody's lock: what ended since the last is settled (ended.ts), the next of
 * each chat becomes due, and as much is claimed as each connection's pace, its concurrency and this node's room allow.
 * Then the claimed are performed (dispatch.ts), each on its own: one that gets no answer holds one place of its
 * connection and nothing else. Turns follow hints (a message was
 * queued, a send ended); each connection is looked at every second besides.
 *
 * Whatever happens to a claimed row ends up in `ended`: settled, or, with the connection, somebody else's.
 */
import type { Registry } from 'prom-client';
import type { Database } from '../../../platform/db/database.ts';
import { createPollLoop } from '../../../platform/db/poll-loop.ts';
import { createUnits, type Units } from '../../../core/unit-of-work.ts';
import type { ConnectionSender, ConnectionLease } from '../connections/connection-lease.ts';
import type { GroupCompletionDeps } from '../groups/group-completion.ts';
import {
  claim,
  type EligibleConnection,
  type Claimed,
  claimedUnder,
  readByIndex,
  recover,
} from './claim.system-store.ts';
import { chooseEligibleConnections } from './eligible-connections.ts';
import { createDispatch } from './dispatch.ts';
import { createCompletionQueue, type Ending } from './ended.ts';
import {
  createConnectionSlot,
  isOpen,
  type ConnectionSlot,
  POLL_MS,
  scheduleScan,
  scheduleRetry,
} from './connection-slot.ts';
import type { FileAccess } from './outgoing.ts';
import { type Outcome, release } from './outcome.ts';
import type { ExecuteDeps } from './execute.ts';
import { createSendMetrics } from './send-metrics.ts';
import { completeSends } from './complete.ts';
import { boundWaits, lockHeldQueues, tryHeldQueues } from './complete.system-store.ts';

/** Rows that a node has under way at once, and those that one turn claims. */
const CAPACITY = 2_000;
const MAX_CLAIMED = 500;
const GATHER_MS = 2;
/** After a recovery that failed. */
const RECOVERY_WAIT_MS = 1_000;
/** What is settled apart waits so long for a lock. */
const LOCK_WAIT_MS = 2_000;
/** Between two looks for which there was no hint. */
const MIN_WAIT_MS = 5;

export interface SenderDeps extends FileAccess, GroupCompletionDeps {
  /** Connections that don't wait behind requests; one is used at a time, and some for what is done apart. */
  db: Database;
  /** Whose events, jobs and clock are used. */
  units: Pick<Units, 'read'>;
  log: ExecuteDeps['log'] & Record<'info' | 'warn', (details: object, message: string) => void>;
  /** A message was answered for after it had been given up. */
  onLate: (held: ConnectionLease, row: Claimed, result: Parameters<ExecuteDeps['onLate']>[1]) => void;
  /** Left out in tests. */
  registry?: Registry;
  /** After the commit of what was settled, by instance. */
  onSettled: (instanceIds: string[]) => void;
}

export interface Sender extends ConnectionSender {
  start(): void;
  /** There may be something to send: a hint, which only makes it faster. @param instanceId all where it is left out */
  wake(instanceId?: string): void;
  /** Whether its connection is attached here. */
  has(instanceId: string): boolean;
  /** Rows under way. */
  sending(): number;
  stop(): Promise<void>;
}

export function createSender(deps: SenderDeps): Sender {
  const { db, log } = deps;
  const { events, jobs, clock } = deps.units.read;
  const units = createUnits({ db, events, jobs, clock });
  const lanes = new Map<string, ConnectionSlot>();
  /** Whether a transaction may have committed without an answer. */
  let isUncertain = false;
  let recovery: { lanes: ReadonlySet<ConnectionSlot>; run: Promise<void> } | null = null;
  let recoverAt = 0;
  const sending = (): number => [...lanes.values()].reduce((sum, { claimed }) => sum + claimed.size, 0);
  const count = deps.registry && createSendMetrics(deps.registry, db, sending, log);
  let timer: NodeJS.Timeout | undefined;

  const isCurrent = (lane: ConnectionSlot): boolean => lanes.get(lane.held.instanceId) === lane;
  const conclude = (lane: ConnectionSlot, row: Claimed, outcome: Outcome): void => {
    if (!isCurrent(lane)) return;
    ended.add({ lane, row, outcome, ownAddress: lane.held.connection.address });
    loop.wake();
  };
  const leave = (lane: ConnectionSlot): void => {
    if (isCurrent(lane)) lanes.delete(lane.held.instanceId);
    ended.forget(lane);
    lane.ended?.();
  };

  const leaveOnceIdle = (lane: ConnectionSlot): void => {
    if (lane.ended && !lane.claimed.size && !lane.isAsked) leave(lane);
  };
  /** It is known what was claimed of them. */
  const answered = (asked: readonly ConnectionSlot[]): void => {
    for (const lane of asked) {
      lane.isAsked = false;
      leaveOnceIdle(lane);
    }
  };

  const dispatch = createDispatch({ ...deps, lanes, conclude });
  const epochOf = ({ held }: ConnectionSlot) => ({
    instance_id: held.instanceId,
    node_id: held.nodeId,
    epoch: held.epoch,
  });

  /** Puts back what was claimed by a turn whose commit was never answered: nothing of it was performed. */
  const findLost = async (): Promise<void> => {
    const all = [...lanes.values()].filter((lane) => !recovery?.lanes.has(lane));
    isUncertain = false; // what becomes so meanwhile is for the next look
    const rows = await db
      .transaction()
      .execute(async (tx) => {
        await readByIndex(tx);
        return claimedUnder(tx, all.map(epochOf));
      })
      .catch((error: unknown) => {
        isUncertain = true;
        throw error;
      });
    for (const row of rows) {
      const lane = lanes.get(row.instance_id);
      if (!lane || lane.held.epoch !== row.epoch || lane.claimed.has(row.id)) continue;
      lane.claimed.set(row.id, row);
      conclude(lane, row, release(row));
    }
    answered(all);
  };

  const recoverThese = async (fresh: readonly ConnectionSlot[]): Promise<void> => {
    const { held, claimed } = await db.transaction().execute(async (tx) => {
      await readByIndex(tx);
      return recover(tx, fresh.map(epochOf));
    });
    for (const lane of fresh) if (held.has(lane.held.instanceId)) lane.isRecovered = true;
    if (claimed.length) {
      log.warn({ rows: claimed.length }, 'what a holder before had under way is looked after');
      void dispatch(claimed);
    }
    answered(fresh);
  };
  /** Beside the turns: it looks through all that is due of a connection, which may be very much. */
  const recoverNew = (): void => {
    if (recovery || isUncertain || performance.now() < recoverAt) return;
    const fresh = [...lanes.values()].filter((lane) => !lane.isRecovered && isOpen(lane));
    if (!fresh.length) return;
    for (const lane of fresh) lane.isAsked = true;
    const run = recoverThese(fresh)
      .catch((error: unknown) => {
        isUncertain = true;
        recoverAt = performance.now() + RECOVERY_WAIT_MS;
        log.error({ err: error }, 'what holders before had under way could not be taken over');
      })
      .finally(() => {
        recovery = null;
        loop.wake();
      });
    recovery = { lanes: new Set(fresh), run };
  };

  const settled = (endings: readonly Ending[], held: ReadonlySet<string>): void => {
    for (const { lane, row, outcome } of endings) {
      lane.claimed.delete(row.id);
      if (held.has(row.instance_id)) count?.(lane.held.driver.channel, outcome.kind);
      if (outcome.kind === 'again') scheduleRetry(lane, outcome.dueMs);
      lane.lookAt = Math.min(lane.lookAt, 0);
      if (!isCurrent(lane)) continue;
      if (!held.has(row.instance_id)) {
        leave(lane);
        lane.held.lost();
      } else leaveOnceIdle(lane);
    }
    if (held.size) deps.onSettled([...held]);
  };

  const ended = createCompletionQueue({
    settleApart: (lane, endings) =>
      units.write(async (unit) => {
        const tx = unit.db;
        await boundWaits(tx, LOCK_WAIT_MS);
        const held = await lockHeldQueues(tx, [epochOf(lane)]);
        await completeSends(unit, deps, endings, held);
        return held;
      }),
    onSettled(endings, held) {
      settled(endings, held);
      loop.wake();
    },
    onFault: (error) => log.warn({ err: error }, 'what ended of one connection is settled later'),
  });

  const wakeInTime = (): void => {
    clearTimeout(timer);
    const next = [...lanes.values()]
      .filter((lane) => lane.isRecovered && isOpen(lane))
      .reduce((first, { lookAt }) => Math.min(first, lookAt), ended.nextTry());
    const wait = Math.max(MIN_WAIT_MS, next - performance.now());
    if (wait < POLL_MS) timer = setTimeout(loop.wake, wait).unref();
  };

  const turn = async (): Promise<'idle' | 'more'> => {
    if (isUncertain) await findLost();
    recoverNew();
    ended.settleLate();
    const ending = ended.take();
    const chosen = chooseEligibleConnections(lanes, ending, CAPACITY, MAX_CLAIMED);
    if (!ending.length && !chosen.length) {
      wakeInTime();
      return 'idle';
    }
    const asked: EligibleConnection[] = chosen.map(({ lane, free }) => ({ ...epochOf(lane), free }));
    for (const { lane } of chosen) lane.isAsked = true;
    const cooling = chosen.flatMap(({ lane }) => lane.pace.cooling());
    try {
      const { held, busy, claimed } = await units.write(async (unit) => {
        const tx = unit.db;
        await readByIndex(tx);
        const epochs = [...new Map(ending.map(({ lane }) => [lane.held.instanceId, epochOf(lane)])).values()];
        const ours = await tryHeldQueues(tx, epochs);
        await completeSends(unit, deps, ending, ours.held);
        return { ...ours, claimed: await claim(tx, asked, cooling) };
      });
      const over = ending.filter(({ row }) => !busy.has(row.instance_id));
      ended.passOver(ending.filter(({ row }) => busy.has(row.instance_id)));
      ended.settled(over);
      settled(over, held);
      const found = Map.groupBy(claimed, (row) => row.instance_id);
      if (claimed.length) void dispatch(claimed);
      answered(chosen.map(({ lane }) => lane));
      for (const { lane, free } of chosen)
        scheduleScan(lane, found.get(lane.held.instanceId)?.length ?? 0, free);
      wakeInTime();
      return over.length || claimed.length ? 'more' : 'idle';
    } catch (error) {
      ended.giveBack(ending, error);
      isUncertain = true;
      throw error;
    }
  };

  const loop = createPollLoop({
    turn,
    gatherMs: GATHER_MS,
    onFault: (error, failures) =>
      log.error({ err: error, failures }, 'messages wait: a turn of the sender failed'),
  });

  return {
    start: loop.start,
    has: (instanceId) => lanes.has(instanceId),
    sending,
    attach(held) {
      const before = lanes.get(held.instanceId);
      if (before) leave(before);
      lanes.set(held.instanceId, createConnectionSlot(held));
      loop.wake();
    },
    detach(instanceId) {
      const lane = lanes.get(instanceId);
      if (!lane) return Promise.resolve();
      return new Promise((resolve) => {
        const first = lane.ended;
        lane.ended = () => {
          first?.();
          resolve();
        };
        leaveOnceIdle(lane);
      });
    },
    wake(instanceId) {
      const woken = instanceId === undefined ? [...lanes.values()] : [lanes.get(instanceId)];
      for (const lane of woken) if (lane) lane.lookAt = 0;
      loop.wake();
    },
    async stop() {
      clearTimeout(timer);
      await loop.stop();
      await recovery?.run;
      await ended.stop();
    },
  };
}
