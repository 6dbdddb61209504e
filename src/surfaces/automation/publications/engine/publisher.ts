/**
 * Poller that publishes due publications and updates results from their messages. Any number of processes may run it
 * concurrently.
 * | After a failure, publications are retried individually. A publication that cannot be published is delayed with
 * increasing backoff and finally fails. It does not block others.
 */
import { Counter, type Registry } from 'prom-client';
import { type Database, isTransientError } from '../../../../platform/db/database.ts';
import { createPoller, type Poller } from '../../../../platform/queue/poller.ts';
import type { Unit, Units } from '../../../../core/unit-of-work.ts';
import { FIRST_UUID } from '../../../../platform/db/uuid-time.ts';
import type { StateLog } from '../../../../platform/http/failure-log.ts';
import { createCollector } from '../../../../platform/metrics/gauges.ts';
import type { MessagesPort } from '../../ports.ts';
import { followUpdates, MAX_UPDATES } from './follow.ts';
import { giveUp, MAX_PUBLICATIONS, publishClaimed, type Published } from './publish.ts';
import * as store from './publication-queue.system-store.ts';
import type { Completed } from './complete.store.ts';

/** Wake-ups within this time share a cycle. */
const BATCH_MS = 4;
/** Buckets processed concurrently. */
const CONCURRENCY = 3;
/** Delays in seconds after each failure. */
const RETRY_DELAYS_S = [1, 10, 60, 600, 3_600];

export interface PublisherDeps {
  db: Database;
  /** Uses a pool that does not queue behind requests. */
  units: Units;
  messages: MessagesPort;
  log: StateLog;
  registry: Registry;
}

export function createPublisher({ db, units, messages, log, registry }: PublisherDeps): Poller {
  const counter = createMetrics(registry, db, log);
  const recordCompleted = (completed: readonly Completed[]): void => {
    for (const { before, after } of completed)
      if (after.status !== before.status && after.finished_at !== null) counter.inc({ status: after.status });
  };

  const publishOne = async (bucket: number, queued: store.Queued): Promise<void> => {
    const { publication_id: id } = queued;
    try {
      const published = await units.write(async (unit) =>
        publishClaimed(unit, messages, await store.claimOne(unit.db, bucket, id)),
      );
      recordCompleted(published.completed);
    } catch (error) {
      if (isTransientError(error)) throw error;
      const wait = RETRY_DELAYS_S[queued.failures];
      log.error(
        { err: error, publication_id: id, failures: queued.failures },
        'publisher: publication failed, retrying',
      );
      try {
        if (wait === undefined)
          recordCompleted((await units.write((unit) => giveUp(unit, bucket, id))).completed);
        else await store.reschedule(db, queued, wait);
      } catch (rescheduleError) {
        if (isTransientError(rescheduleError)) throw rescheduleError;
        log.error(
          { err: rescheduleError, publication_id: id },
          'publisher: could not mark publication as failed, retrying',
        );
        await store.reschedule(db, queued, RETRY_DELAYS_S.at(-1)!);
      }
    }
  };

  /** The endpoint served last in each bucket. */
  const lastServed = new Map<number, string>();
  const claimNext = (unit: Unit, bucket: number): Promise<store.Queued[]> =>
    store.claimDue(unit.db, bucket, MAX_PUBLICATIONS, lastServed.get(bucket) ?? FIRST_UUID);
  const markServed = (bucket: number, endpointId: string | null): void => {
    if (endpointId !== null) lastServed.set(bucket, endpointId);
  };

  /** Publishes each individually, in order. */
  const publishEach = async (bucket: number): Promise<void> => {
    const due = await units.write((unit) => claimNext(unit, bucket));
    for (const queued of due) await publishOne(bucket, queued);
    markServed(bucket, due[0]?.endpoint_id ?? null);
  };

  const publishBucket = async (bucket: number): Promise<boolean> => {
    let published: Published;
    try {
      published = await units.write(async (unit) =>
        publishClaimed(unit, messages, await claimNext(unit, bucket)),
      );
    } catch (error) {
      if (isTransientError(error)) throw error;
      await publishEach(bucket);
      return true;
    }
    markServed(bucket, published.endpointId);
    recordCompleted(published.completed);
    return published.seen > 0;
  };

  const publish = async (): Promise<boolean> => {
    const buckets = await store.findBuckets(db);
    let any = false;
    const failures: unknown[] = [];
    const work = async (): Promise<void> => {
      for (let bucket = buckets.pop(); bucket !== undefined; bucket = buckets.pop())
        try {
          any = (await publishBucket(bucket)) || any;
        } catch (error) {
          failures.push(error); // other buckets may still succeed
        }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    if (failures.length) throw failures[0];
    return any;
  };

  /**
   * Processes updates individually up to the failing one, which is discarded: the daily scan picks up its change
   * (publication-retention.ts).
   */
  const followEach = async (): Promise<void> => {
    for (let count = 0; count < MAX_UPDATES; count++)
      try {
        const { seen, completed } = await units.write((unit) => followUpdates(unit, messages, 1));
        if (seen === 0) return;
        recordCompleted(completed);
      } catch (error) {
        if (isTransientError(error)) throw error;
        const dropped = await store.dropUpdate(db);
        log.error(
          { err: error, publication_id: dropped?.publication_id },
          'publisher: could not update results of publication',
        );
        return;
      }
  };

  const follow = async (): Promise<boolean> => {
    try {
      const { seen, completed, arrived } = await units.write((unit) => followUpdates(unit, messages));
      recordCompleted(completed);
      for (const { status, finished_at: at } of arrived) if (at !== null) counter.inc({ status });
      return seen > 0;
    } catch (error) {
      if (isTransientError(error)) throw error;
      await followEach();
      return true;
    }
  };

  return createPoller({
    async cycle() {
      const [published, followed] = [await publish(), await follow()];
      return published || followed ? 'more' : 'idle';
    },
    gatherMs: BATCH_MS,
    onError: (error, failures) => log.error({ err: error, failures }, 'publisher: cycle failed, retrying'),
  });
}

function createMetrics(registry: Registry, db: Database, log: StateLog): Counter<'status'> {
  const read = () => store.readLag(db);
  const { gauge } = createCollector(registry, { name: 'publications', read, log });
  gauge(
    'fairlead_publications_waiting',
    'Publications that are due but not yet published, counted up to 100,000.',
    (lag) => lag.waiting,
  );
  gauge(
    'fairlead_publications_oldest_seconds',
    'How long the oldest publication has been due.',
    (lag) => lag.seconds,
  );
  return new Counter({
    name: 'fairlead_publications_total',
    help: 'Completed publications by status.',
    labelNames: ['status'],
    registers: [registry],
  });
}
