/**
 * Importing contacts: the file is durable before the answer, and a job reads it. Each batch of lines commits with how far
 * it is, so a job that died goes on behind it; an address is one contact however often it is imported.
 */
import type { WorkspaceActor } from '../../auth/actor.ts';
import type { Unit, Units } from '../../db/unit.ts';
import { publicId, uuidOf } from '../../http/ids.ts';
import { Problem } from '../../http/problem.ts';
import type { JobPayloads } from '../../jobs/job-queue.ts';
import type { JobObject } from '../../jobs/job.schema.ts';
import {
  createJob,
  failJob,
  finishJob,
  getJob,
  type JobFault,
  type Progress,
  reportProgress,
  takeUpJob,
} from '../../jobs/job.service.ts';
import type { MediaFiles } from '../media/media-files.ts';
import { deleteMedia, openMedia } from '../media/media.service.ts';
import { type Counts, importBatch } from './contact-import-batch.ts';
import { FileFault, type Line, readLines } from './contact-import-file.ts';
import { type LineFault, readLine } from './contact-import-line.ts';
import type { ContactServiceDeps } from './contact.service.ts';

const BATCH = 200;
/** Of faults that the result names; the rest is counted. */
const MOST_FAULTS = 1_000;

type Payload = JobPayloads['contacts.import'];

export interface ImportDeps extends ContactServiceDeps {
  files: MediaFiles;
}

/** What is kept of it between batches. */
interface ImportProgress extends Progress, Counts {
  failed: number;
  faults: LineFault[];
}

const START: ImportProgress = {
  done: 0,
  total: null,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
  faults: [],
};

/** @param media the file, ready, and whether it goes with the job */
export async function startImport(
  unit: Unit,
  actor: WorkspaceActor,
  media: { id: string; isOwn: boolean },
  instanceId: string | null,
): Promise<JobObject> {
  const { workspaceId } = actor;
  const { id, job } = await createJob(unit, workspaceId, 'contacts.import');
  await unit.jobs.enqueue(unit.db, 'contacts.import', {
    workspaceId,
    jobId: id,
    mediaId: media.id,
    instanceId,
    actorId: actor.id,
    deletesMedia: media.isOwn,
  });
  return job;
}

/** In the transaction that ends the job: the file that came for it goes, and the event is written. */
async function complete(unit: Unit, { workspaceId, jobId, mediaId, deletesMedia }: Payload): Promise<void> {
  if (deletesMedia)
    await deleteMedia(unit, workspaceId, mediaId).catch((error: unknown) => {
      // Somebody deleted it already.
      if (!(error instanceof Problem && error.code === 'not_found')) throw error;
    });
  const object = await getJob(unit, workspaceId, jobId);
  await unit.events.write(unit, {
    workspaceId,
    type: 'import.completed',
    resourceId: publicId('job', jobId),
    object,
  });
}

async function fail(units: Units, payload: Payload, error: JobFault): Promise<void> {
  await units.write(async (unit) => {
    if (!(await takeUpJob(unit, payload.workspaceId, payload.jobId))) return;
    await failJob(unit, payload.workspaceId, payload.jobId, error);
    await complete(unit, payload);
  });
}

/** Takes some lines in. @returns false where the job has ended */
async function takeIn(
  unit: Unit,
  deps: ImportDeps,
  payload: Payload,
  lines: readonly Line[],
): Promise<boolean> {
  const kept = await takeUpJob(unit, payload.workspaceId, payload.jobId);
  if (!kept) return false;
  const before: ImportProgress = { ...START, ...kept };
  const faults = [...before.faults];
  let failed = before.failed;
  const refuse = (fault: LineFault): void => {
    failed += 1;
    if (faults.length < MOST_FAULTS) faults.push(fault);
  };
  const inputs = lines.flatMap((line) => {
    const read = readLine(line);
    if (!('code' in read)) return [read];
    refuse(read);
    return [];
  });
  const counts = await importBatch(unit, deps, payload, inputs, refuse);
  const progress: ImportProgress = {
    done: before.done + lines.length,
    total: null,
    created: before.created + counts.created,
    updated: before.updated + counts.updated,
    unchanged: before.unchanged + counts.unchanged,
    failed,
    faults,
  };
  await reportProgress(unit, payload.workspaceId, payload.jobId, progress);
  return true;
}

/** Whole lines, some at a time, behind those that were taken in. */
async function* batches(lines: AsyncIterable<Line>, skip: number): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  let seen = 0;
  for await (const line of lines) {
    if (seen++ < skip) continue;
    batch.push(line);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length) yield batch;
}

async function finish(units: Units, payload: Payload, ignored: string[]): Promise<void> {
  await units.write(async (unit) => {
    const { workspaceId, jobId } = payload;
    const kept = await takeUpJob(unit, workspaceId, jobId);
    if (!kept) return;
    const { done, created, updated, unchanged, failed, faults }: ImportProgress = { ...START, ...kept };
    await reportProgress(unit, workspaceId, jobId, { ...kept, done, total: done });
    await finishJob(unit, workspaceId, jobId, {
      created,
      updated,
      unchanged,
      failed,
      faults: faults.toSorted((a, b) => a.line - b.line),
      ignored_columns: ignored.map((name) => name.slice(0, 100)),
    });
    await complete(unit, payload);
  });
}

/** Performs the job `contacts.import`. @throws where `signal` ends it early: it is to be begun again */
export async function performImport(
  units: Units,
  deps: ImportDeps,
  payload: Payload,
  signal?: AbortSignal,
): Promise<void> {
  const kept = await units.write((unit) => takeUpJob(unit, payload.workspaceId, payload.jobId));
  if (!kept) return;
  let ignored: string[] = [];
  try {
    const file = await openMedia(units.read, deps.files, payload.workspaceId, payload.mediaId);
    const bytes = await file.read({ start: 0, length: file.size });
    try {
      const lines = readLines(bytes, (columns) => {
        ignored = columns;
      });
      for await (const batch of batches(lines, kept.done)) {
        signal?.throwIfAborted();
        if (!(await units.write((unit) => takeIn(unit, deps, payload, batch)))) return;
      }
    } finally {
      await bytes.close();
    }
  } catch (error) {
    if (error instanceof FileFault)
      return fail(units, payload, {
        code: 'invalid_file',
        detail: `${error.message} What came before it is imported.`,
      });
    if (error instanceof Problem && (error.code === 'not_found' || error.code === 'conflict'))
      return fail(units, payload, { code: 'file_gone', detail: 'The file was deleted before it was read.' });
    throw error;
  }
  await finish(units, payload, ignored);
}

/** After the last try of the job has failed: who watches it is told. */
export const giveUpImport = (units: Units, payload: Payload): Promise<void> =>
  fail(units, payload, {
    code: 'internal_error',
    detail: 'It failed again and again. What was imported up to there is; import the same file to go on.',
  });

/** The database's id of what a caller names. */
export const instanceIdOf = (given: string | undefined): string | null =>
  given === undefined ? null : uuidOf('instance', given);
