/**
 * Replays events as a job: first the deliveries that wait, then those that ended, then the events without any. Each batch
 * is one transaction under the endpoint's lock that also stores the progress, so a job that died resumes after the last
 * committed batch and neither repeats nor skips.
 *
 * Deliveries are walked by ID up to the job's own: those that the job or concurrent events create lie beyond. A
 * requeued delivery that fails again is behind the walk.
 */
import type { Unit, Units } from '../unit/unit-of-work.ts';
import { firstUuidAt } from '../../platform/db/uuid-time.ts';
import type { JobPayloads } from '../../platform/jobs/job-queue.ts';
import { performInTurn, UNSHARED } from '../../platform/jobs/turn.ts';
import {
  cancelJob,
  failJob,
  finishJob,
  type Progress,
  reportProgress,
  takeUpJob,
} from '../jobs/job.service.ts';
import { insertDeliveries } from './delivery/delivery-queue.system-store.ts';
import { lockReceiver, type Receiver, requeue } from './delivery-requeue.store.ts';
import * as store from './replay.store.ts';

/** Rows looked at in a transaction: settling of the receiver's attempts waits for it. */
const BATCH = 500;
/** Clocks of nodes may differ: a delivery's ID may be so much older than its event's. */
const SKEW_MS = 10 * 60_000;

export type ReplayPayload = JobPayloads['webhooks.replay'];

interface ReplayProgress extends Progress {
  /** The last waiting delivery walked through; null once all are. */
  waiting?: string | null;
  /** The last delivery walked through, while these are. */
  delivery?: string;
  /** The last sequence walked through, once deliveries are done. */
  sequence?: number;
  /** Deliveries that could not be sent again: their event is gone, or they were tried too often. */
  skipped?: number;
}

const getResult = ({ done, skipped = 0 }: ReplayProgress) => ({ deliveries: done, skipped });

async function hurryWaiting(
  unit: Unit,
  { workspaceId, webhookId, jobId }: ReplayPayload,
  progress: ReplayProgress,
  events: store.IdSpan,
): Promise<ReplayProgress> {
  const walk = { after: progress.waiting ?? null, through: jobId, limit: BATCH };
  const { count, last } = await store.makeWaitingDue(unit.db, workspaceId, webhookId, walk, events);
  return { ...progress, done: progress.done + count, waiting: last };
}

async function replayDeliveries(
  unit: Unit,
  payload: ReplayPayload,
  receiver: Receiver,
  progress: ReplayProgress,
  events: store.IdSpan,
): Promise<ReplayProgress> {
  const { workspaceId, webhookId, jobId, statuses } = payload;
  const after = progress.delivery ?? firstUuidAt(new Date(Date.parse(payload.since) - SKEW_MS));
  const ended = statuses.filter((status) => status !== 'missing' && status !== 'pending');
  const walk = { after, through: jobId, limit: BATCH };
  const seen = ended.length
    ? await store.deliveriesAfter(unit.db, workspaceId, webhookId, walk, ended, events)
    : [];
  const wanted = seen.filter((one) => one.wanted).map(({ id }) => id);
  const put = await requeue(unit.db, workspaceId, webhookId, receiver.ordered, wanted);
  return {
    ...progress,
    done: progress.done + put,
    skipped: (progress.skipped ?? 0) + wanted.length - put,
    ...(seen.length < BATCH ? { sequence: 0 } : { delivery: seen.at(-1)!.id }),
  };
}

/** @returns null at the end of the events */
async function replayEvents(
  unit: Unit,
  { workspaceId, webhookId, since }: ReplayPayload,
  receiver: Receiver,
  progress: ReplayProgress,
  events: store.IdSpan,
): Promise<ReplayProgress | null> {
  const walk = { after: progress.sequence!, limit: BATCH };
  const oldest = firstUuidAt(new Date(Date.parse(since) - SKEW_MS));
  const seen = await store.eventsAfter(unit.db, workspaceId, webhookId, walk, events, oldest);
  if (!seen.length) return null;
  const missing = seen.filter((event) => event.missing);
  await insertDeliveries(
    unit.db,
    missing.map((event) => ({
      id: unit.newUuid(),
      workspace_id: workspaceId,
      webhook_id: webhookId,
      event_id: event.id,
      event_type: event.type,
      position: event.sequence,
      order_key: receiver.ordered ? event.resource_id : null,
    })),
  );
  return { ...progress, done: progress.done + missing.length, sequence: seen.at(-1)!.sequence };
}

/** One batch. @returns whether there is more */
async function replayBatch(unit: Unit, payload: ReplayPayload): Promise<boolean> {
  const { workspaceId, webhookId, jobId, statuses } = payload;
  const progress: ReplayProgress | null = await takeUpJob(unit, workspaceId, jobId);
  if (!progress) return false;
  const receiver = await lockReceiver(unit.db, workspaceId, webhookId);
  if (!receiver?.enabled) {
    const error = receiver
      ? { code: 'webhook_disabled', detail: 'The webhook was disabled before the replay was complete.' }
      : { code: 'webhook_deleted', detail: 'The webhook was deleted before the replay was complete.' };
    await cancelJob(unit, workspaceId, jobId, error, getResult(progress));
    return false;
  }
  const events = {
    first: firstUuidAt(new Date(payload.since)),
    end: firstUuidAt(new Date(Date.parse(payload.until) + 1)),
  };
  const waits = statuses.includes('pending') && progress.waiting !== null;
  const current = waits ? await hurryWaiting(unit, payload, progress, events) : progress;
  const next =
    waits && current.waiting !== null
      ? current
      : current.sequence === undefined
        ? await replayDeliveries(unit, payload, receiver, current, events)
        : statuses.includes('missing')
          ? await replayEvents(unit, payload, receiver, current, events)
          : null;
  if (next) await reportProgress(unit, workspaceId, jobId, next);
  else await finishJob(unit, workspaceId, jobId, getResult(current));
  return next !== null;
}

/**
 * Executes the job `webhooks.replay`.
 * @returns the payload of its next turn
 * @throws if the turn's signal ends it early; it must then be started again
 */
export async function executeReplay(
  { units, wakeDeliveries }: { units: Units; wakeDeliveries: () => void },
  payload: ReplayPayload,
  turn = UNSHARED,
): Promise<ReplayPayload | void> {
  const sendBatch = (): Promise<boolean> =>
    units.write(async (unit) => {
      unit.afterCommit(wakeDeliveries);
      return replayBatch(unit, payload);
    });
  if (!(await performInTurn(turn, sendBatch))) return payload;
}

/** Runs when the job's last attempt has failed: reports it to watchers. */
export const giveUpReplay = (units: Units, { workspaceId, jobId }: ReplayPayload): Promise<void> =>
  units.write((unit) =>
    failJob(unit, workspaceId, jobId, {
      code: 'internal_error',
      detail:
        'The replay failed repeatedly. Deliveries up to that point were requeued; replay the same range to continue.',
    }),
  );
