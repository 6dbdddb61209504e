/**
 * Poller that publishes due publications and updates results from their messages. Any number of processes may run it
 * concurrently. A cycle looks for endpoints with due publications, which then take turns (endpoint-turns.ts).
 * | After a failure, publications are retried individually. A publication that cannot be published is delayed with
 * increasing backoff and finally fails. It does not block others.
 */
import { Counter, type Registry } from 'prom-client';
import { type Database, isLockTimeout, isTransientError, type Tx } from '../../../../platform/db/database.ts';
import type { Log } from '../../../../platform/logging/log.ts';
import { createPoller, type Poller } from '../../../../platform/queue/poller.ts';
import type { Units } from '../../../../core/unit/unit-of-work.ts';
import type { GetPerson } from '../../../../core/auth/person-lookup.ts';
import { FIRST_UUID } from '../../../../platform/db/uuid-time.ts';
import { createCollector } from '../../../../platform/metrics/gauges.ts';
import type { MessagesPort } from '../../ports/ports.ts';
import { createEndpointTurns } from './endpoint-turns.ts';
import { followUpdates, MAX_UPDATES } from './follow.ts';
import { giveUp, MAX_PUBLICATIONS, publishClaimed } from './publish.ts';
import * as store from './publication-queue.system-store.ts';
import type { Completed } from './complete.store.ts';

/** Wake-ups within this time share a cycle. */
const BATCH_MS = 4;
/** Delays in seconds after each failure. */
const RETRY_DELAYS_S = [1, 10, 60, 600, 3_600];

/** Whether the same may succeed soon: the database is away, or others hold a lock for long. */
const isLater = (error: unknown): boolean => isTransientError(error) || isLockTimeout(error);

export interface PublisherDeps {
  db: Database;
  /** Uses a pool that does not queue behind requests. */
  units: Units;
  messages: MessagesPort;
  getPerson: GetPerson;
  log: Pick<Log, 'info' | 'error'>;
  registry: Registry;
}

export type Publisher = Pick<Poller, 'start' | 'wake' | 'stop'>;

export function createPublisher({ db, units, messages, getPerson, log, registry }: PublisherDeps): Publisher {
  const counter = createMetrics(registry, db, log);
  const recordCompleted = (completed: readonly Completed[]): void => {
    for (const { before, after } of completed)
      if (after.status !== before.status && after.finished_at !== null) counter.inc({ status: after.status });
  };

  const publishOne = async (endpoint: store.DueEndpoint, queued: store.Queued): Promise<void> => {
    const { publication_id: id } = queued;
    try {
      const published = await units.write(async (unit) =>
        publishClaimed(unit, messages, await store.claimOne(unit.db, endpoint, id)),
      );
      recordCompleted(published.completed);
    } catch (error) {
      if (isLater(error)) throw error;
      const wait = RETRY_DELAYS_S[queued.failures];
      log.error(
        { err: error, publication_id: id, failures: queued.failures },
        'publisher: publication failed, retrying',
      );
      try {
        if (wait === undefined)
          recordCompleted((await units.write((unit) => giveUp(unit, endpoint, id))).completed);
        else await store.reschedule(db, queued, wait);
      } catch (rescheduleError) {
        if (isLater(rescheduleError)) throw rescheduleError;
        log.error(
          { err: rescheduleError, publication_id: id },
          'publisher: could not mark publication as failed, retrying',
        );
        await store.reschedule(db, queued, RETRY_DELAYS_S.at(-1)!);
      }
    }
  };

  const claim = (db_: Tx, endpoint: store.DueEndpoint) => store.claimDue(db_, endpoint, MAX_PUBLICATIONS);

  /** Publishes each individually, in order. */
  const publishEach = async (endpoint: store.DueEndpoint): Promise<boolean> => {
    const due = await units.write((unit) => claim(unit.db, endpoint));
    for (const queued of due) await publishOne(endpoint, queued);
    return due.length >= MAX_PUBLICATIONS;
  };

  const publishBatch = async (endpoint: store.DueEndpoint): Promise<boolean> => {
    try {
      const { hasMore, completed } = await units.write(async (unit) =>
        publishClaimed(unit, messages, await claim(unit.db, endpoint)),
      );
      recordCompleted(completed);
      return hasMore;
    } catch (error) {
      if (isLater(error)) throw error;
      return publishEach(endpoint);
    }
  };

  /** Errors that made cycles fail since the last one. */
  const failures: unknown[] = [];
  const turns = createEndpointTurns({
    getPerson,
    publish: publishBatch,
    // Locked rows are found again, so others need not wait.
    onError: (error) => {
      if (!isLockTimeout(error)) failures.push(error);
    },
    onEmpty: () => poller.wake(),
  });

  /** Where the next look at a bucket begins, if not at its first endpoint. */
  let next: ReadonlyMap<number, string> = new Map();
  const look = async (): Promise<void> => {
    const buckets = await store.findBuckets(db);
    const page = await store.findDueEndpoints(
      db,
      new Map(buckets.map((bucket) => [bucket, next.get(bucket) ?? FIRST_UUID])),
    );
    next = page.next;
    turns.add(page.due);
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

  const poller = createPoller({
    async cycle() {
      await look();
      const hasFollowed = await follow();
      if (failures.length) throw failures.splice(0)[0];
      if (hasFollowed || (next.size > 0 && turns.size() === 0)) return 'more';
      return turns.size() > 0 ? 'busy' : 'idle';
    },
    gatherMs: BATCH_MS,
    onError: (error, count) =>
      log.error({ err: error, failures: count }, 'publisher: cycle failed, retrying'),
  });
  return {
    start: poller.start,
    wake: poller.wake,
    async stop() {
      await poller.stop();
      await turns.stop();
    },
  };
}

function createMetrics(
  registry: Registry,
  db: Database,
  log: Pick<Log, 'info' | 'error'>,
): Counter<'status'> {
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
