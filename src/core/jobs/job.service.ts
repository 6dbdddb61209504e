/**
 * Jobs that a caller can watch. A surface creates one in the transaction that responds with 202 and enqueues the work
 * with its ID; the work reports its progress.
 */
import type { WorkspaceActor } from '../auth/actor.ts';
import { mayDo } from '../vocabulary/scopes.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { publicId } from '../vocabulary/ids.ts';
import { notFound, Problem } from '../../platform/http/problem.ts';
import { assertMayFollow, isFinal, type JobState } from '../../platform/jobs/job-state.ts';
import type { JobObject } from './job.schema.ts';
import { JOB_SCOPES, type JobType } from './job-types.ts';
import * as store from './job.store.ts';

export interface Progress {
  done: number;
  /** Null where it is not known. */
  total: number | null;
}

export interface JobError {
  code: string;
  detail: string;
}

function presentJob(row: store.JobRow): JobObject {
  const progress = row.progress as Partial<Progress>;
  return {
    id: publicId('job', row.id),
    object: 'job',
    type: row.type,
    state: row.state as JobState,
    progress: { done: progress.done ?? 0, total: progress.total ?? null },
    result: row.result as JobObject['result'],
    error: row.error as JobObject['error'],
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

/** @param type `noun.verb`; @returns the job, and its ID for the payload of the work */
export async function createJob(
  unit: Unit,
  workspaceId: string,
  type: JobType,
  total: number | null = null,
): Promise<{ id: string; job: JobObject }> {
  const id = unit.newUuid();
  const progress: Progress = { done: 0, total };
  const row = await store.insertJob(unit.db, workspaceId, { id, type, progress, created_at: unit.clock() });
  return { id, job: presentJob(row) };
}

/**
 * Returns a job if the caller may read or change its subject.
 * @throws Problem not_found, insufficient_scope
 */
export async function readJob(unit: ReadUnit, actor: WorkspaceActor, id: string): Promise<JobObject> {
  const job = await getJob(unit, actor.workspaceId, id);
  const scopes = JOB_SCOPES[job.type as JobType];
  if (!scopes.some((scope) => mayDo(actor.scopes, scope)))
    throw new Problem('insufficient_scope', `A job of the type ${job.type} requires ${scopes.join(' or ')}.`);
  return job;
}

/** @throws Problem not_found */
export async function getJob(unit: ReadUnit, workspaceId: string, id: string): Promise<JobObject> {
  const row = await store.getJob(unit.db, workspaceId, id);
  if (!row) throw notFound('job');
  return presentJob(row);
}

/** @throws Problem not_found; Error for a move that the states don't allow */
async function move(
  unit: Unit,
  workspaceId: string,
  id: string,
  to: JobState,
  change: store.JobChange = {},
): Promise<void> {
  const row = await store.lockJob(unit.db, workspaceId, id);
  if (!row) throw notFound('job');
  assertMayFollow(row.state as JobState, to);
  const now = unit.clock();
  const ended = isFinal(to) ? { finished_at: now } : {};
  await store.updateJob(unit.db, workspaceId, id, { ...change, ...ended, state: to }, now);
}

/**
 * Locks a job for its worker within this transaction.
 * @returns the last value of `reportProgress`, including further fields; null if the job has ended or no longer exists
 */
export async function takeUpJob(unit: Unit, workspaceId: string, id: string): Promise<Progress | null> {
  const row = await store.lockJob(unit.db, workspaceId, id);
  if (!row || isFinal(row.state as JobState)) return null;
  return row.progress as object as Progress;
}

/**
 * Records that the work has begun or continues. Fields beyond those of `Progress` are kept for `takeUpJob`, and not
 * shown.
 */
export const reportProgress = (
  unit: Unit,
  workspaceId: string,
  id: string,
  progress: Progress,
): Promise<void> => move(unit, workspaceId, id, 'running', { progress });

export const finishJob = (unit: Unit, workspaceId: string, id: string, result: object): Promise<void> =>
  move(unit, workspaceId, id, 'succeeded', { result });

export const failJob = (unit: Unit, workspaceId: string, id: string, error: JobError): Promise<void> =>
  move(unit, workspaceId, id, 'failed', { error });

/** @param result result of the completed part */
export const cancelJob = (
  unit: Unit,
  workspaceId: string,
  id: string,
  error: JobError,
  result: object,
): Promise<void> => move(unit, workspaceId, id, 'canceled', { error, result });
