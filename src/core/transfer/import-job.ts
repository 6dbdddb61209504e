/**
 * Imports the lines of a file. The file is durable before the response, and a job reads it. Each batch of lines commits
 * together with its position, so a job that died, or whose turn ended, continues after it by reading the file again up
 * to there. The noun defines the meaning of a line.
 */
import { isActorActive } from '../auth/actor-state.store.ts';
import type { WorkspaceActor } from '../auth/actor.ts';
import type { Unit, Units } from '../unit/unit-of-work.ts';
import { publicId } from '../vocabulary/ids.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { JobPayloads } from '../../platform/jobs/job-queue.ts';
import { UNSHARED } from '../../platform/jobs/turn.ts';
import type { JobObject } from '../jobs/job.schema.ts';
import {
  createJob,
  failJob,
  finishJob,
  getJob,
  type JobError,
  type Progress,
  reportProgress,
  takeUpJob,
} from '../jobs/job.service.ts';
import { type ColumnRules, ImportFileError, type Line, readLines } from './import-file.ts';
import type { ImportFiles } from './import-files.ts';
import type { ImportLineError } from './import-line.ts';
import type { ImportedFile } from './import-upload.ts';

const BATCH = 200;
/** Of faults that the result names; the rest is counted. */
const MAX_FAULTS = 1_000;

type ImportName = 'contacts.import' | 'links.import';
/** The payload that all imports have. */
type Payload = Omit<JobPayloads['contacts.import'], 'instanceId'>;

export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
}

/** The parts of an import that its noun defines. */
export interface ImportKind<P extends Payload> {
  name: ImportName;
  columns: ColumnRules;
  /**
   * Imports lines in a transaction that has locked only the job.
   * @returns the results of the accepted lines
   */
  take(
    unit: Unit,
    payload: P,
    lines: readonly Line[],
    refuse: (fault: ImportLineError) => void,
  ): Promise<Counts>;
}

export interface ImportDeps {
  units: Units;
  files: ImportFiles;
}

/** Progress that is stored between batches. */
interface ImportProgress extends Progress, Counts {
  failed: number;
  faults: ImportLineError[];
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

/** @param more additional payload of this kind */
export async function startImport<N extends ImportName>(
  unit: Unit,
  actor: WorkspaceActor,
  name: N,
  file: ImportedFile,
  more: Omit<JobPayloads[N], keyof Payload>,
): Promise<JobObject> {
  const { workspaceId } = actor;
  const { id, job } = await createJob(unit, workspaceId, name);
  const common: Payload = {
    workspaceId,
    jobId: id,
    mediaId: file.id,
    actorId: actor.id,
    deletesMedia: file.isOwn,
  };
  await unit.jobs.enqueue(unit.db, name, { ...common, ...more } as unknown as JobPayloads[N]);
  return job;
}

/** Runs in the transaction that ends the job: deletes the uploaded file and writes the event. */
async function complete(
  unit: Unit,
  { files }: ImportDeps,
  { workspaceId, jobId, mediaId, deletesMedia }: Payload,
): Promise<void> {
  if (deletesMedia)
    await files.remove(unit, workspaceId, mediaId).catch((error: unknown) => {
      // The file was already deleted.
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

async function fail(deps: ImportDeps, payload: Payload, error: JobError): Promise<void> {
  await deps.units.write(async (unit) => {
    if (!(await takeUpJob(unit, payload.workspaceId, payload.jobId))) return;
    await failJob(unit, payload.workspaceId, payload.jobId, error);
    await complete(unit, deps, payload);
  });
}

/** The starter of the import is no longer allowed to run it. */
class ActorEnded extends Error {}

/**
 * Imports a batch of lines.
 * @param done lines imported before
 * @returns false if the job has ended, or another process continues it
 * @throws ActorEnded
 */
async function takeIn<P extends Payload>(
  unit: Unit,
  kind: ImportKind<P>,
  payload: P,
  lines: readonly Line[],
  done: number,
): Promise<boolean> {
  const kept = await takeUpJob(unit, payload.workspaceId, payload.jobId);
  if (kept?.done !== done) return false;
  if (!(await isActorActive(unit.db, payload.workspaceId, payload.actorId))) throw new ActorEnded();
  const before: ImportProgress = { ...START, ...kept };
  const faults = [...before.faults];
  let failed = before.failed;
  const refuse = (fault: ImportLineError): void => {
    failed += 1;
    if (faults.length < MAX_FAULTS) faults.push(fault);
  };
  const counts = await kind.take(unit, payload, lines, refuse);
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

async function finish(deps: ImportDeps, payload: Payload, ignored: string[]): Promise<void> {
  await deps.units.write(async (unit) => {
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
    await complete(unit, deps, payload);
  });
}

/**
 * Executes an import.
 * @returns the payload of its next turn
 * @throws if the turn's signal ends it early; it must then be started again
 */
export async function executeImport<P extends Payload>(
  deps: ImportDeps,
  kind: ImportKind<P>,
  payload: P,
  turn = UNSHARED,
): Promise<P | void> {
  const { units, files } = deps;
  const kept = await units.write((unit) => takeUpJob(unit, payload.workspaceId, payload.jobId));
  if (!kept) return;
  let ignored: string[] = [];
  try {
    const file = await files.open(units.read, payload.workspaceId, payload.mediaId);
    const bytes = await file.read({ start: 0, length: file.size });
    try {
      const lines = readLines(bytes, kind.columns, (columns) => {
        ignored = columns;
      });
      let { done } = kept;
      for await (const batch of batches(lines, done)) {
        await files.whenRoom(turn.signal);
        if (!(await units.write((unit) => takeIn(unit, kind, payload, batch, done)))) return;
        done += batch.length;
        if (await turn.isOver()) return payload;
      }
    } finally {
      await bytes.close();
    }
  } catch (error) {
    if (error instanceof ImportFileError)
      return fail(deps, payload, {
        code: 'invalid_file',
        detail: `${error.message} Earlier lines were imported.`,
      });
    if (error instanceof ActorEnded)
      return fail(deps, payload, {
        code: 'access_ended',
        detail: 'The API key or member that started the import lost access. Earlier lines were imported.',
      });
    if (error instanceof Problem && (error.code === 'not_found' || error.code === 'conflict'))
      return fail(deps, payload, { code: 'file_gone', detail: 'The file was deleted before it was read.' });
    throw error;
  }
  await finish(deps, payload, ignored);
}

/** Runs when the job's last attempt has failed: reports it to watchers. */
export const giveUpImport = (deps: ImportDeps, payload: Payload): Promise<void> =>
  fail(deps, payload, {
    code: 'internal_error',
    detail: 'The import failed repeatedly. Items imported so far are kept. Import the same file to continue.',
  });
