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
import { claim, type EligibleConnection, type Claimed, readByIndex } from './claim.system-store.ts';
import { createClaimRecovery } from './claim-recovery.ts';
import { chooseEligibleConnections } from './eligible-connections.ts';
import { createDispatch } from './dispatch.ts';
import { createCompletionQueue, type Completion } from './completion-queue.ts';
import {
  isOpen,
  type ConnectionSlot,
  POLL_MS,
  scheduleScan,
  scheduleRetry,
  toEpoch,
} from './connection-slot.ts';
import { createConnectionSlots } from './connection-slots.ts';
import type { FileAccess } from './outgoing.ts';
import type { Outcome } from './outcome.ts';
import type { ExecuteDeps } from './execute.ts';
import { createSendMetrics } from './send-metrics.ts';
import { type CompletionDeps, completeSends } from './complete.ts';
import { boundWaits, lockHeldQueues, tryHeldQueues } from './complete.system-store.ts';

/** Maximum active rows of a node, and rows claimed by a cycle. */
const CAPACITY = 2_000;
const MAX_CLAIMED = 500;
const GATHER_MS = 2;
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
  /** Returns the person that a workspace's load counts toward. */
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
  const slots = createConnectionSlots((slot) => completions.forget(slot));
  const count = deps.registry && createSendMetrics(deps.registry, db, slots.sending, log);
  let timer: NodeJS.Timeout | undefined;

  const complete = (slot: ConnectionSlot, row: Claimed, outcome: Outcome): void => {
    if (!slots.isCurrent(slot)) return;
    completions.add({ slot, row, outcome, ownAddress: slot.held.connection.address });
    poller.wake();
  };
  const dispatch = createDispatch({ ...deps, slots: slots.all, complete });
  const recovery = createClaimRecovery({
    db,
    log,
    slots,
    dispatch,
    complete,
    wake: () => poller.wake(),
    requestRecovery: () => poller.requestRecovery(),
  });

  const onCompleted = (stored: readonly Completion[], held: ReadonlySet<string>): void => {
    for (const { slot, row, outcome } of stored) {
      slot.claimed.delete(row.id);
      if (held.has(row.instance_id)) count?.(slot.held.driver.channel, outcome.kind);
      if (outcome.kind === 'again') scheduleRetry(slot, outcome.dueMs);
      slot.nextScanAt = Math.min(slot.nextScanAt, 0);
      if (!slots.isCurrent(slot)) continue;
      if (!held.has(row.instance_id)) {
        slots.remove(slot);
        slot.held.lost();
      } else slots.removeIfDrained(slot);
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
    const next = [...slots.all.values()]
      .filter((slot) => slot.isRecovered && isOpen(slot))
      .reduce((first, { nextScanAt }) => Math.min(first, nextScanAt), completions.nextTryAt());
    const wait = Math.max(MIN_WAIT_MS, next - performance.now());
    if (wait < POLL_MS) timer = setTimeout(poller.wake, wait).unref();
  };

  const cycle = async (): Promise<CycleOutcome> => {
    recovery.start();
    completions.completeOverdue();
    const ended = completions.take();
    const chosen = chooseEligibleConnections(slots.all, ended, CAPACITY, MAX_CLAIMED);
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
      slots.finishClaim(chosen.map(({ slot }) => slot));
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
    recover: recovery.releaseUnanswered,
    gatherMs: GATHER_MS,
    onError: (error, failures) => log.error({ err: error, failures }, 'send queue: cycle failed, retrying'),
  });

  return {
    start: poller.start,
    has: (instanceId) => slots.all.has(instanceId),
    sending: slots.sending,
    attach(held) {
      const slot = slots.attach(held);
      void deps.getPerson(held.workspaceId).then((person) => (slot.person = person));
      poller.wake();
    },
    detach: slots.detach,
    wake(instanceId) {
      const woken = instanceId === undefined ? [...slots.all.values()] : [slots.all.get(instanceId)];
      for (const slot of woken) if (slot) slot.nextScanAt = 0;
      poller.wake();
    },
    async stop() {
      clearTimeout(timer);
      await poller.stop();
      await recovery.stop();
      await completions.stop();
    },
  };
}
