/**
 * Sends deliveries; any number of processes may do so concurrently.
 *
 * A cycle is one transaction: it records the attempts that ended since the last one and frees their slots, makes new
 * deliveries due, and claims as many as slots, rates and this process's capacity allow. Each claimed delivery is then
 * sent on its own; a receiver that hangs holds its own slots and nothing else.
 *
 * Every claimed delivery ends up in `done`: recorded, released, or, with the lease, recovered by another process.
 */
import { type Database, isRowError } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { CycleOutcome } from '../../../platform/queue/poller.ts';
import { createWorkQueue } from '../../../platform/queue/work-queue.ts';
import { isErasedEvent } from '../../events/erasure/redact.ts';
import { presentEvent } from '../../events/event.service.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { type Claimed, claimedBy, hasWork } from './claim.system-store.ts';
import type { DeliveryBodies, Ready } from './bodies.ts';
import { cancel, type Done, isGone, release, withoutRecord } from './done.ts';
import { addWorker, removeWorker, renewWorker, takeOver } from './lease.system-store.ts';
import { loadEvents } from '../../events/load-events.system-store.ts';
import type { ReceiverConfigs } from './receiver-configs.ts';
import { attempt, type Exchange, unsent } from './sender.ts';
import type { Completed, CompletedEndpoint } from './complete.system-store.ts';
import { runCycle } from './cycle.ts';
import { startSpan, traced } from '../../../platform/tracing/tracing.ts';
import { publicId } from '../../vocabulary/ids.ts';
import { countSlots } from './shares.ts';
import { currentMs } from '../../../platform/time/clock.ts';

/** Maximum concurrent deliveries of a process, and the bytes that their bodies may hold. */
const CAPACITY = 512;
const MAX_BYTES = 64 * 2 ** 20;
/** Part of the capacity that receivers which time out cannot use, and part that is for persons that hold few slots. */
const KEPT_FROM_TIMEOUTS = 1 / 4;
const RESERVED = 1 / 8;
/** Maximum attempts recorded by a cycle. */
const MAX_COMPLETED = 1_000;
const LEASE_MS = 10_000;
const GATHER_MS = 3;
const DRAIN_MS = 5_000;
/** Delay after the events or webhooks of claimed deliveries could not be read. */
const UNREAD_WAIT_MS = 20;
/** Delay after an internal error. */
const INTERNAL_ERROR_WAIT_MS = 30_000;
/** Delay while too many templates wait to be rendered. */
const BUSY_WAIT_MS = 1_000;
const DISABLE_AFTER_MS = 5 * 24 * 3600 * 1000;
const MIN_EXPECTED_BYTES = 1_024;

export type DisableReason = 'gone' | 'failing';

export interface WorkerDeps {
  /** Pool that does not queue behind requests. */
  db: Database;
  log: Pick<Log, 'warn' | 'error'>;
  configs: ReceiverConfigs;
  exchange: Exchange;
  /** Renders the body of an event for a webhook. */
  bodies: DeliveryBodies;
  disable: (
    workspaceId: string,
    webhookId: string,
    reason: DisableReason,
    attemptedAt: Date,
  ) => Promise<unknown>;
  /** Called for each attempt, for metrics. */
  onAttempt?: (completed: Completed) => void;
}

export interface DeliveryWorker {
  start(): void;
  /** Starts a cycle soon. */
  wake(): void;
  /** Lets active deliveries complete for a few seconds, then releases the rest. */
  stop(): Promise<void>;
  sending(): number;
}

/** Makes the attempt as a span of the trace in which its event was written. */
function attemptTraced(
  { claimed, event }: Pick<Ready, 'claimed' | 'event'>,
  work: () => Promise<Completed>,
): Promise<Completed> {
  if (event.traceparent === null) return work();
  const attributes = {
    'fairlead.workspace.id': publicId('workspace', claimed.workspace_id),
    'fairlead.event.id': publicId('event', event.id),
    'fairlead.event.type': event.type,
    'fairlead.delivery.id': publicId('delivery', claimed.delivery_id),
    'http.request.method': 'POST',
  };
  const span = startSpan('webhook.deliver', 'client', attributes, event.traceparent);
  return traced(span, async () => {
    const completed = await work();
    const { status_code: status, error_code: error } = completed.attempt ?? {};
    span?.set({ 'http.response.status_code': status ?? undefined, 'fairlead.outcome': completed.outcome });
    if (error) span?.fail(error);
    return completed;
  });
}

export function createDeliveryWorker(deps: WorkerDeps): DeliveryWorker {
  const { db, log, configs, exchange, bodies, disable, onAttempt = () => {} } = deps;
  /** Bytes of the bodies being sent. */
  let bytes = 0;
  /** Estimate of a body's size by those sent recently: large ones are claimed a few at a time. */
  let expectedBytes = MIN_EXPECTED_BYTES;
  let done: Done[] = [];

  const conclude = (result: Done): void => {
    done.push(result);
    queue.wake();
  };

  const send = async (ready: Ready, signal: AbortSignal, worker: string): Promise<void> => {
    const { claimed, config, plain } = ready;
    let size = plain.length;
    bytes += size;
    let result: Done;
    try {
      const made = await bodies.of(ready);
      if (!queue.owns(worker)) throw new Error('the lease has ended');
      let completed: Completed;
      if (made.fault) completed = unsent(claimed, config.url, made.fault);
      else {
        bytes += made.body.length - size;
        size = made.body.length;
        const outgoing = { claimed, eventType: ready.event.type, config, ...made };
        completed = await attemptTraced(ready, () =>
          attempt(exchange, outgoing, signal, () => void queue.owns(worker)),
        );
      }
      result = { ...completed, order_key: claimed.order_key };
      onAttempt(result);
    } catch (error) {
      const aborted = signal.aborted || !queue.owns(worker);
      const isBusy = error instanceof Problem && error.code === 'unavailable';
      if (!aborted && !isBusy)
        log.error(
          { err: error, delivery: claimed.delivery_id },
          'delivery queue: attempt failed with an internal error',
        );
      result = release(claimed, aborted ? 0 : isBusy ? BUSY_WAIT_MS : INTERNAL_ERROR_WAIT_MS);
    } finally {
      bytes -= size;
    }
    if (queue.claimer() !== worker) return;
    queue.active.delete(claimed.delivery_id);
    conclude(result);
  };

  /** @param worker the claimer: under another lease the claims belong to another process */
  const dispatch = async (claimed: Claimed[], worker: string): Promise<void> => {
    if (queue.claimer() !== worker) return;
    for (const one of claimed) queue.active.set(one.delivery_id, one);
    const signal = queue.signal();
    const drop = (one: Claimed, result: Done): void => {
      if (queue.active.delete(one.delivery_id)) conclude(result);
    };
    try {
      const [events, ready] = await Promise.all([loadEvents(db, claimed), configs.of(claimed)]);
      if (queue.claimer() !== worker) return;
      const plain = new Map([...events].map(([id, event]) => [id, JSON.stringify(presentEvent(event))]));
      const largest = Math.max(0, ...[...plain.values()].map(({ length }) => length));
      expectedBytes = Math.max(MIN_EXPECTED_BYTES, largest, expectedBytes * 0.9);
      for (const one of claimed) {
        const event = events.get(one.event_id);
        const config = ready.get(one.receiver_id);
        if (!config) drop(one, cancel(one, 'webhook_disabled'));
        else if (config instanceof Error) {
          log.error(
            { err: config, webhook: one.receiver_id, delivery: one.delivery_id },
            'delivery queue: could not decrypt the webhook, retrying',
          );
          drop(one, release(one, INTERNAL_ERROR_WAIT_MS));
        } else if (!event) drop(one, cancel(one, 'event_expired'));
        else if (isErasedEvent(event)) drop(one, cancel(one, 'event_erased'));
        else void send({ claimed: one, event, plain: plain.get(event.id)!, config }, signal, worker);
      }
    } catch (error) {
      if (queue.claimer() !== worker) return;
      log.warn(
        { err: error, deliveries: claimed.length },
        'delivery queue: could not load deliveries, releasing them',
      );
      for (const one of claimed) drop(one, release(one, UNREAD_WAIT_MS));
    }
  };

  const disableWhereDue = (completed: Done[], failing: CompletedEndpoint[]): void => {
    const act = ({ receiver_id: id, workspace_id, attempt: tried }: Done, reason: DisableReason): void =>
      void disable(workspace_id, id, reason, new Date(tried!.started_at)).catch((error: unknown) =>
        log.error(
          { err: error, webhook: id, reason },
          'delivery queue: could not disable webhook, retrying after its next failure',
        ),
      );
    const last = new Map(completed.flatMap((one) => (one.attempt ? [[one.receiver_id, one]] : [])));
    const gone = new Map(completed.flatMap((one) => (isGone(one) ? [[one.receiver_id, one]] : [])));
    for (const one of gone.values()) act(one, 'gone');
    for (const { id, failing_since } of failing)
      if (!gone.has(id) && currentMs() - failing_since!.getTime() > DISABLE_AFTER_MS)
        act(last.get(id)!, 'failing');
  };

  /** With large bodies it is fewer than CAPACITY. */
  const getCapacity = (): number => Math.min(CAPACITY, Math.floor(MAX_BYTES / expectedBytes));

  const getFreeCapacity = (): number =>
    queue.isOpen()
      ? Math.min(CAPACITY - queue.active.size - done.length, Math.floor((MAX_BYTES - bytes) / expectedBytes))
      : 0;

  const recover = async (worker: string): Promise<void> => {
    const claimed = await claimedBy(db, worker);
    if (queue.claimer() !== worker) return;
    const known = new Set([...queue.active.keys(), ...done.map(({ delivery_id }) => delivery_id)]);
    done.push(...claimed.filter((one) => !known.has(one.delivery_id)).map((one) => release(one, 0)));
  };

  const cycle = async (worker: string): Promise<CycleOutcome> => {
    if (!done.length && !(queue.isOpen() && (await hasWork(db)))) return 'idle';
    const completed = done.splice(0, MAX_COMPLETED);
    const free = getFreeCapacity();
    try {
      const reserved = Math.floor(getCapacity() * RESERVED);
      const slots = countSlots(free, reserved, queue.active.values());
      const slowToo = free > CAPACITY * KEPT_FROM_TIMEOUTS;
      const { claimed, failing, busy } = await runCycle(db, worker, completed, slots, slowToo);
      if (claimed.length) void dispatch(claimed, worker);
      disableWhereDue(completed, failing);
      return busy ? 'more' : 'idle';
    } catch (error) {
      // Losing the record of an attempt is better than a queue that stops.
      const kept = isRowError(error) ? completed.map(withoutRecord) : completed;
      if (queue.claimer() === worker) done.unshift(...kept);
      throw error;
    }
  };

  const queue = createWorkQueue<Claimed>({
    name: 'delivery queue',
    db,
    log,
    store: { add: addWorker, renew: renewWorker, remove: removeWorker, takeOver },
    leaseMs: LEASE_MS,
    heldMs: LEASE_MS,
    gatherMs: GATHER_MS,
    drainMs: DRAIN_MS,
    cycle,
    recover,
    pending: () => done.length,
    onLost() {
      done = [];
    },
  });
  return { wake: queue.wake, start: queue.start, stop: queue.stop, sending: () => queue.active.size };
}
