/**
 * Sends what is queued on all connections that this node holds.
 *
 * A cycle is one transaction that waits for no lock: it stores completed sends (completion-queue.ts), makes the next of
 * each chat due, and claims as many as each connection's pace and concurrency and this node's capacity allow. Each
 * claimed row is then executed on its own (dispatch.ts): one without a response holds one slot of its connection and
 * nothing else. Wake-ups (a message was queued, a send ended) start cycles; each connection is also scanned every second.
 *
 * Every claimed row ends up in `completions`, or, with the connection, belongs to another node.
 */
import type { Registry } from 'prom-client';
import type { Database } from '../../../platform/db/database.ts';
import { createPoller, type CycleOutcome } from '../../../platform/queue/poller.ts';
import type { GetPerson } from '../../../core/auth/person-lookup.ts';
import { createUnits, type Units } from '../../../core/unit/unit-of-work.ts';
import type { ConnectionSender, ConnectionLease } from '../connections/connection-lease.ts';
import {
  claim,
  type EligibleConnection,
  type Claimed,
  claimedUnder,
  readByIndex,
  recoverClaims,
} from './claim.system-store.ts';
import { chooseEligibleConnections } from './eligible-connections.ts';
import { createDispatch } from './dispatch.ts';
import { createCompletionQueue, type Completion } from './completion-queue.ts';
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
import { type CompletionDeps, completeSends } from './complete.ts';
import { boundWaits, lockHeldQueues, tryHeldQueues } from './complete.system-store.ts';

/** Maximum active rows of a node, and rows claimed by a cycle. */
const CAPACITY = 2_000;
const MAX_CLAIMED = 500;
const GATHER_MS = 2;
/** Delay after a failed recovery. */
const RECOVERY_WAIT_MS = 1_000;
/** Maximum wait for the lock of a queue whose completions are stored separately. */
const LOCK_WAIT_MS = 2_000;
/** Minimum delay between two scheduled cycles. */
const MIN_WAIT_MS = 5;

export interface SenderDeps extends FileAccess, CompletionDeps {
  /** Pool that does not queue behind requests. Cycles use one connection, separate completions a few more. */
  db: Database;
  /** Provides events, jobs and clock. */
  units: Pick<Units, 'read'>;
  log: ExecuteDeps['log'] & Record<'info' | 'warn', (details: object, message: string) => void>;
  /** Whom a workspace counts for. */
  getPerson: GetPerson;
  /** The channel responded for a message after its time-out. */
  onLate: (held: ConnectionLease, row: Claimed, result: Parameters<ExecuteDeps['onLate']>[1]) => void;
  /** Omitted in tests. */
  registry?: Registry;
  /** Called with the instances whose completions were committed. */
  onCompleted: (instanceIds: string[]) => void;
}

export interface Sender extends ConnectionSender {
  start(): void;
  /** Starts a cycle soon. @param instanceId default: all */
  wake(instanceId?: string): void;
  /** Whether the instance's connection is attached to this node. */
  has(instanceId: string): boolean;
  /** Returns the number of active rows. */
  sending(): number;
  stop(): Promise<void>;
}

export function createSender(deps: SenderDeps): Sender {
  const { db, log } = deps;
  const { events, jobs, clock } = deps.units.read;
  const units = createUnits({ db, events, jobs, clock });
  const slots = new Map<string, ConnectionSlot>();
  let recovery: { slots: ReadonlySet<ConnectionSlot>; run: Promise<void> } | null = null;
  let recoverAt = 0;
  const sending = (): number => [...slots.values()].reduce((sum, { claimed }) => sum + claimed.size, 0);
  const count = deps.registry && createSendMetrics(deps.registry, db, sending, log);
  let timer: NodeJS.Timeout | undefined;

  const isCurrent = (slot: ConnectionSlot): boolean => slots.get(slot.held.instanceId) === slot;
  const toEpoch = ({ held }: ConnectionSlot) => ({
    instance_id: held.instanceId,
    node_id: held.nodeId,
    epoch: held.epoch,
  });

  const complete = (slot: ConnectionSlot, row: Claimed, outcome: Outcome): void => {
    if (!isCurrent(slot)) return;
    completions.add({ slot, row, outcome, ownAddress: slot.held.connection.address });
    poller.wake();
  };
  const dispatch = createDispatch({ ...deps, slots, complete });

  const remove = (slot: ConnectionSlot): void => {
    if (isCurrent(slot)) slots.delete(slot.held.instanceId);
    completions.forget(slot);
    slot.onDrained?.();
  };
  const removeIfDrained = (slot: ConnectionSlot): void => {
    if (slot.onDrained && !slot.claimed.size && !slot.isClaiming) remove(slot);
  };
  /** The transaction that claimed for these responded. */
  const finishClaim = (claiming: readonly ConnectionSlot[]): void => {
    for (const slot of claiming) {
      slot.isClaiming = false;
      removeIfDrained(slot);
    }
  };

  /** Releases rows that a cycle claimed whose commit got no response: none of them was executed. */
  const recover = async (): Promise<void> => {
    const all = [...slots.values()].filter((slot) => !recovery?.slots.has(slot));
    const rows = await db.transaction().execute(async (tx) => {
      await readByIndex(tx);
      return claimedUnder(tx, all.map(toEpoch));
    });
    for (const row of rows) {
      const slot = slots.get(row.instance_id);
      if (!slot || slot.held.epoch !== row.epoch || slot.claimed.has(row.id)) continue;
      slot.claimed.set(row.id, row);
      complete(slot, row, release(row));
    }
    finishClaim(all);
  };

  /** Takes over the rows that were active on nodes that held these connections before. */
  const recoverSlots = async (attached: readonly ConnectionSlot[]): Promise<void> => {
    const { held, claimed } = await db.transaction().execute(async (tx) => {
      await readByIndex(tx);
      return recoverClaims(tx, attached.map(toEpoch));
    });
    for (const slot of attached) if (held.has(slot.held.instanceId)) slot.isRecovered = true;
    if (claimed.length) {
      log.warn({ rows: claimed.length }, 'send queue: recovered rows of an earlier holder');
      void dispatch(claimed);
    }
    finishClaim(attached);
  };
  /** Runs concurrently with cycles: it reads all due rows of a connection, which may be many. */
  const startRecovery = (): void => {
    if (recovery || performance.now() < recoverAt) return;
    const attached = [...slots.values()].filter((slot) => !slot.isRecovered && isOpen(slot));
    if (!attached.length) return;
    for (const slot of attached) slot.isClaiming = true;
    const run = recoverSlots(attached)
      .catch((error: unknown) => {
        poller.requestRecovery();
        recoverAt = performance.now() + RECOVERY_WAIT_MS;
        log.error({ err: error }, 'send queue: could not recover rows of an earlier holder, retrying');
      })
      .finally(() => {
        recovery = null;
        poller.wake();
      });
    recovery = { slots: new Set(attached), run };
  };

  const onCompleted = (stored: readonly Completion[], held: ReadonlySet<string>): void => {
    for (const { slot, row, outcome } of stored) {
      slot.claimed.delete(row.id);
      if (held.has(row.instance_id)) count?.(slot.held.driver.channel, outcome.kind);
      if (outcome.kind === 'again') scheduleRetry(slot, outcome.dueMs);
      slot.nextScanAt = Math.min(slot.nextScanAt, 0);
      if (!isCurrent(slot)) continue;
      if (!held.has(row.instance_id)) {
        remove(slot);
        slot.held.lost();
      } else removeIfDrained(slot);
    }
    if (held.size) deps.onCompleted([...held]);
  };

  const completions = createCompletionQueue({
    completeSeparately: (slot, ended) =>
      units.write(async (unit) => {
        const tx = unit.db;
        await boundWaits(tx, LOCK_WAIT_MS);
        const held = await lockHeldQueues(tx, [toEpoch(slot)]);
        await completeSends(unit, deps, ended, held);
        return held;
      }),
    onCompleted(ended, held) {
      onCompleted(ended, held);
      poller.wake();
    },
    onError: (error) =>
      log.warn({ err: error }, 'send queue: could not store completions of a connection, retrying'),
  });

  const scheduleWake = (): void => {
    clearTimeout(timer);
    const next = [...slots.values()]
      .filter((slot) => slot.isRecovered && isOpen(slot))
      .reduce((first, { nextScanAt }) => Math.min(first, nextScanAt), completions.nextTryAt());
    const wait = Math.max(MIN_WAIT_MS, next - performance.now());
    if (wait < POLL_MS) timer = setTimeout(poller.wake, wait).unref();
  };

  const cycle = async (): Promise<CycleOutcome> => {
    startRecovery();
    completions.completeOverdue();
    const ended = completions.take();
    const chosen = chooseEligibleConnections(slots, ended, CAPACITY, MAX_CLAIMED);
    if (!ended.length && !chosen.length) {
      scheduleWake();
      return 'idle';
    }
    const eligible: EligibleConnection[] = chosen.map(({ slot, free }) => ({ ...toEpoch(slot), free }));
    for (const { slot } of chosen) slot.isClaiming = true;
    const cooling = chosen.flatMap(({ slot }) => slot.pace.cooling());
    try {
      const { held, busy, claimed } = await units.write(async (unit) => {
        const tx = unit.db;
        await readByIndex(tx);
        const epochs = [...new Map(ended.map(({ slot }) => [slot.held.instanceId, toEpoch(slot)])).values()];
        const queues = await tryHeldQueues(tx, epochs);
        await completeSends(unit, deps, ended, queues.held);
        return { ...queues, claimed: await claim(tx, eligible, cooling) };
      });
      const stored = ended.filter(({ row }) => !busy.has(row.instance_id));
      completions.postpone(ended.filter(({ row }) => busy.has(row.instance_id)));
      completions.stored(stored);
      onCompleted(stored, held);
      const found = Map.groupBy(claimed, (row) => row.instance_id);
      if (claimed.length) void dispatch(claimed);
      finishClaim(chosen.map(({ slot }) => slot));
      for (const { slot, free } of chosen)
        scheduleScan(slot, found.get(slot.held.instanceId)?.length ?? 0, free);
      scheduleWake();
      return stored.length || claimed.length ? 'more' : 'idle';
    } catch (error) {
      completions.restore(ended, error);
      throw error;
    }
  };

  const poller = createPoller({
    cycle,
    recover,
    gatherMs: GATHER_MS,
    onError: (error, failures) => log.error({ err: error, failures }, 'send queue: cycle failed, retrying'),
  });

  return {
    start: poller.start,
    has: (instanceId) => slots.has(instanceId),
    sending,
    attach(held) {
      const before = slots.get(held.instanceId);
      if (before) remove(before);
      const slot = createConnectionSlot(held);
      slots.set(held.instanceId, slot);
      void deps.getPerson(held.workspaceId).then((person) => (slot.person = person));
      poller.wake();
    },
    detach(instanceId) {
      const slot = slots.get(instanceId);
      if (!slot) return Promise.resolve();
      return new Promise((resolve) => {
        const first = slot.onDrained;
        slot.onDrained = () => {
          first?.();
          resolve();
        };
        removeIfDrained(slot);
      });
    },
    wake(instanceId) {
      const woken = instanceId === undefined ? [...slots.values()] : [slots.get(instanceId)];
      for (const slot of woken) if (slot) slot.nextScanAt = 0;
      poller.wake();
    },
    async stop() {
      clearTimeout(timer);
      await poller.stop();
      await recovery?.run;
      await completions.stop();
    },
  };
}
