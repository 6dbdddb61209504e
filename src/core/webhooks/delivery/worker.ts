/**
 * The loop that sends: any number of processes may run it at once.
 *
 * A turn is one transaction: what was sent since the last one is recorded and its slots are freed, what is new becomes
 * due, and as much is claimed as slots, rates and this process's capacity allow. Then the claimed are sent, each on
 * its own; a receiver that hangs holds its own slots and nothing else. Turns follow hints (a fan-out, an attempt that
 * ended) and otherwise a poll (db/poll-loop.ts).
 *
 * Whatever happens to a claimed delivery ends up in `done`: recorded, put back, or, with the lease, somebody else's.
 */
import { type Database, isRowError } from '../../../platform/db/database.ts';
import { createPollLoop } from '../../../platform/db/poll-loop.ts';
import { isErasedEvent } from '../../events/erasure/redact.ts';
import { presentEvent } from '../../events/event.service.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { type Claimed, claimedBy, hasWork, getRemainingCapacity } from './claim.system-store.ts';
import type { DeliveryBodies, Ready } from './bodies.ts';
import { cancel, type Done, isGone, release, withoutRecord } from './done.ts';
import { createLease, type Lease } from './lease.ts';
import { loadEvents } from '../../events/load-events.system-store.ts';
import type { ReceiverConfigs } from './receiver-configs.ts';
import { attempt, type Exchange, unsent } from './sender.ts';
import type { Completed, CompletedEndpoint } from './complete.system-store.ts';
import { runCycle } from './cycle.ts';
import { currentMs } from '../../../platform/time/clock.ts';

/** Deliveries that a process sends at once, and the bytes that they may hold. */
const CAPACITY = 512;
const MAX_BYTES = 64 * 2 ** 20;
/** Kept free of receivers that don't answer in time. */
const RESERVED = CAPACITY / 4;
/** Of one workspace, so that receivers that take their time hold up nobody else's. */
const MAX_OF_WORKSPACE = CAPACITY - RESERVED;
const MAX_SETTLED = 1_000;
const GATHER_MS = 3;
const DRAIN_MS = 5_000;
const DRAIN_LOOK_MS = 20;
/** What could not be read waits this long. */
const UNREAD_WAIT_MS = 20;
/** What fails for a reason of our own waits this long. */
const FAULT_WAIT_MS = 30_000;
/** While too many templates wait to be rendered. */
const BUSY_WAIT_MS = 1_000;
const DISABLE_AFTER_MS = 5 * 24 * 3600 * 1000;

export type DisableReason = 'gone' | 'failing';

interface Log {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface WorkerDeps {
  /** Connections that don't wait behind requests. */
  db: Database;
  log: Log;
  configs: ReceiverConfigs;
  exchange: Exchange;
  /** Makes bodies of events. */
  bodies: DeliveryBodies;
  disable: (
    workspaceId: string,
    webhookId: string,
    reason: DisableReason,
    attemptedAt: Date,
  ) => Promise<unknown>;
  /** Each attempt that ended, for metrics. */
  onAttempt?: (completed: Completed) => void;
}

export interface DeliveryWorker {
  start(): void;
  /** There may be something to send. */
  wake(): void;
  /** Lets what is being sent end, for a few seconds; the rest is put back. */
  stop(): Promise<void>;
  sending(): number;
}

export function createDeliveryWorker(deps: WorkerDeps): DeliveryWorker {
  const { db, log, configs, exchange, bodies, disable, onAttempt = () => {} } = deps;
  const sending = new Map<string, Claimed>();
  let bytes = 0;
  /** What a body may have, by those of late: so large ones are claimed a few at a time. */
  let expectedBytes = 1_024;
  let done: Done[] = [];
  let started = false;
  let draining = false;
  /** Whether a transaction may have committed of which this process has not heard. */
  let isUncertain = false;
  const lease: Lease = createLease({
    db,
    log,
    onTakenOver: () => loop.wake(),
    onLost() {
      done = [];
      sending.clear();
    },
  });

  const conclude = (result: Done): void => {
    done.push(result);
    loop.wake();
  };

  const send = async (ready: Ready, signal: AbortSignal, worker: string): Promise<void> => {
    const { claimed, config, plain } = ready;
    let size = plain.length;
    bytes += size;
    let result: Done;
    try {
      const made = await bodies.of(ready);
      if (!lease.isHeld() || lease.id() !== worker) throw new Error('the lease is over');
      let completed: Completed;
      if (made.fault) completed = unsent(claimed, config.url, made.fault);
      else {
        bytes += made.body.length - size;
        size = made.body.length;
        const outgoing = { claimed, eventType: ready.event.type, config, ...made };
        completed = await attempt(exchange, outgoing, signal, lease.isHeld);
      }
      result = { ...completed, order_key: claimed.order_key };
      onAttempt(result);
    } catch (error) {
      const aborted = signal.aborted || !lease.isHeld() || lease.id() !== worker;
      const isBusy = error instanceof Problem && error.code === 'unavailable';
      if (!aborted && !isBusy)
        log.error({ err: error, delivery: claimed.delivery_id }, 'a delivery could not be tried');
      result = release(claimed, aborted ? 0 : isBusy ? BUSY_WAIT_MS : FAULT_WAIT_MS);
    } finally {
      bytes -= size;
    }
    if (lease.id() !== worker) return;
    sending.delete(claimed.delivery_id);
    conclude(result);
  };

  /** @param worker who claimed them: with another lease they are somebody else's. */
  const dispatch = async (claimed: Claimed[], worker: string): Promise<void> => {
    if (lease.id() !== worker) return;
    for (const one of claimed) sending.set(one.delivery_id, one);
    const signal = lease.signal();
    const drop = (one: Claimed, result: Done): void => {
      if (sending.delete(one.delivery_id)) conclude(result);
    };
    try {
      const [events, ready] = await Promise.all([loadEvents(db, claimed), configs.of(claimed)]);
      if (lease.id() !== worker) return;
      const plain = new Map([...events].map(([id, event]) => [id, JSON.stringify(presentEvent(event))]));
      const largest = Math.max(0, ...[...plain.values()].map(({ length }) => length));
      expectedBytes = Math.max(1_024, largest, expectedBytes * 0.9);
      for (const one of claimed) {
        const event = events.get(one.event_id);
        const config = ready.get(one.receiver_id);
        if (!config) drop(one, cancel(one, 'webhook_disabled'));
        else if (config instanceof Error) {
          log.error(
            { err: config, webhook: one.receiver_id, delivery: one.delivery_id },
            'a delivery waits: what its webhook is sent with cannot be opened',
          );
          drop(one, release(one, FAULT_WAIT_MS));
        } else if (!event) drop(one, cancel(one, 'event_expired'));
        else if (isErasedEvent(event)) drop(one, cancel(one, 'event_erased'));
        else void send({ claimed: one, event, plain: plain.get(event.id)!, config }, signal, worker);
      }
    } catch (error) {
      if (lease.id() !== worker) return;
      log.warn(
        { err: error, deliveries: claimed.length },
        'claimed deliveries could not be read and were put back',
      );
      for (const one of claimed) drop(one, release(one, UNREAD_WAIT_MS));
    }
  };

  const disableWhereDue = (completed: Done[], failing: CompletedEndpoint[]): void => {
    const act = ({ receiver_id: id, workspace_id, attempt: tried }: Done, reason: DisableReason): void =>
      void disable(workspace_id, id, reason, new Date(tried!.started_at)).catch((error: unknown) =>
        log.error(
          { err: error, webhook: id, reason },
          'a webhook could not be disabled; its next failure tries again',
        ),
      );
    const last = new Map(completed.flatMap((one) => (one.attempt ? [[one.receiver_id, one]] : [])));
    const gone = new Map(completed.flatMap((one) => (isGone(one) ? [[one.receiver_id, one]] : [])));
    for (const one of gone.values()) act(one, 'gone');
    for (const { id, failing_since } of failing)
      if (!gone.has(id) && currentMs() - failing_since!.getTime() > DISABLE_AFTER_MS)
        act(last.get(id)!, 'failing');
  };

  const capacity = (): number =>
    draining || !lease.isHeld()
      ? 0
      : Math.min(CAPACITY - sending.size - done.length, Math.floor((MAX_BYTES - bytes) / expectedBytes));

  /** Puts back what was claimed by a turn whose commit was never answered: nobody would ever send it. */
  const findLost = async (): Promise<void> => {
    const worker = lease.id();
    const claimed = await claimedBy(db, worker);
    isUncertain = false;
    if (lease.id() !== worker) return;
    const known = new Set([...sending.keys(), ...done.map(({ delivery_id }) => delivery_id)]);
    done.push(...claimed.filter((one) => !known.has(one.delivery_id)).map((one) => release(one, 0)));
  };

  const turn = async (): Promise<'idle' | 'more'> => {
    if (isUncertain) await findLost();
    if (!done.length && (draining || !(await hasWork(db)))) return 'idle';
    const worker = lease.id();
    const completed = done.splice(0, MAX_SETTLED);
    try {
      const { claimed, failing, busy } = await runCycle(db, worker, completed, {
        free: capacity(),
        slowToo: capacity() > RESERVED,
        capacity: getRemainingCapacity(MAX_OF_WORKSPACE, sending.values()),
      });
      if (claimed.length) void dispatch(claimed, worker);
      disableWhereDue(completed, failing);
      return busy ? 'more' : 'idle';
    } catch (error) {
      // No record of an attempt is worth that nothing is sent any more.
      const kept = isRowError(error) ? completed.map(withoutRecord) : completed;
      if (lease.id() === worker) done.unshift(...kept);
      isUncertain = true;
      throw error;
    }
  };

  const loop = createPollLoop({
    turn,
    gatherMs: GATHER_MS,
    onFault: (error, failures) =>
      log.error({ err: error, failures }, 'deliveries wait: a turn of the sender failed'),
  });

  return {
    wake: loop.wake,
    sending: () => sending.size,
    start() {
      if (started) return;
      started = true;
      lease.start();
      loop.start();
    },
    async stop() {
      if (!started) return;
      draining = true;
      const giveUpAt = performance.now() + DRAIN_MS;
      while ((sending.size || done.length) && lease.isHeld() && performance.now() < giveUpAt)
        await new Promise((resolve) => setTimeout(resolve, DRAIN_LOOK_MS));
      started = false;
      await loop.stop();
      // What is still being sent is put back with the lease.
      await lease
        .stop()
        .catch((error: unknown) => log.warn({ err: error }, 'claims wait for their lease to end'));
    },
  };
}
