/** Requests a replay: creates a job that callers can watch and enqueues its work, in one transaction. */
import type { Unit } from '../unit/unit-of-work.ts';
import { EVENTS_KEPT_DAYS } from '../events/event-retention.ts';
import { notFound, Problem } from '../../platform/http/problem.ts';
import { createJob } from '../jobs/job.service.ts';
import type { JobObject } from '../jobs/job.schema.ts';
import { DAY_MS } from '../../platform/db/partitions.ts';
import { lockReceiver } from './delivery-requeue.store.ts';
import { NOT_GOT, type ReplayBody } from './replay.schema.ts';

/** Events before this time are gone, or go at any moment. */
export const getRetentionStart = (now: Date): Date =>
  new Date((Math.floor(now.getTime() / DAY_MS) - EVENTS_KEPT_DAYS) * DAY_MS);

function getSpan(body: ReplayBody, now: Date): { since: Date; until: Date } {
  const since = new Date(body.since);
  const until = new Date(
    Math.min(body.until === undefined ? now.getTime() : Date.parse(body.until), now.getTime()),
  );
  const refuse = (pointer: string, code: string, detail: string) =>
    new Problem('unprocessable', detail, { errors: [{ pointer, code, detail }] });
  const oldest = getRetentionStart(now);
  if (since < oldest)
    throw refuse(
      '/since',
      'too_early',
      `events are kept for ${EVENTS_KEPT_DAYS} days: since must not be before ${oldest.toISOString()}`,
    );
  if (since > until) throw refuse('/since', 'after_until', 'since must not be after until, or in the future');
  return { since, until };
}

/** @throws Problem not_found, webhook_disabled, unprocessable */
export async function startReplay(
  unit: Unit,
  workspaceId: string,
  webhookId: string,
  body: ReplayBody,
): Promise<JobObject> {
  const receiver = await lockReceiver(unit.db, workspaceId, webhookId);
  if (!receiver) throw notFound('webhook');
  const { since, until } = getSpan(body, unit.clock());
  if (!receiver.enabled) throw new Problem('webhook_disabled', 'The webhook is disabled. Enable it first.');
  const { id, job } = await createJob(unit, workspaceId, 'webhooks.replay');
  await unit.jobs.enqueue(unit.db, 'webhooks.replay', {
    workspaceId,
    webhookId,
    jobId: id,
    since: since.toISOString(),
    until: until.toISOString(),
    statuses: [...new Set(body.status === undefined ? NOT_GOT : [body.status].flat())],
  });
  return job;
}
