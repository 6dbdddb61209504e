/**
 * Claims the jobs of one queue for this process and performs them. Slots are shared among persons (fair-slots.ts); of the
 * jobs of those that may have one, the next in the order of turns (turns.system-store.ts) is claimed.
 *
 * A job is looked for every `pollSeconds`, after each job that ended, and until none is left or no slot is free. The claim
 * of a job is renewed by heartbeats. A job that takes too long counts as failed at that moment, and its slot is free
 * once its handler has heeded the signal.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { createFairSlots } from '../limits/fair-slots.ts';
import type { QueueRules } from './queue-rules.ts';

/** A third of what a claim lasts without a heartbeat. */
const HEARTBEAT_MS = 20_000;
/** Holder of jobs that count for nobody. */
const NOBODY = '';

export type Job = JobWithMetadata<unknown>;

export interface JobWorkerDeps {
  boss: PgBoss;
  name: string;
  rules: QueueRules;
  /** Performs one job. @throws what made the try fail */
  perform: (job: Job, signal: AbortSignal) => Promise<unknown>;
  /** The database did not answer as expected. */
  onError: (error: Error) => void;
}

export interface JobWorker {
  start(): void;
  /** Claims nothing more, waits for what runs, and aborts the rest, which is tried again. */
  stop(withinMs: number): Promise<void>;
}

export function createJobWorker({ boss, name, rules, perform, onError }: JobWorkerDeps): JobWorker {
  const { parallel = 1, parallelOfPerson, pollSeconds, timeoutSeconds, slow } = rules;
  const slots = createFairSlots({ capacity: parallel, slow });
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let again = false;
  let stopped = false;

  const report = (error: unknown): void => onError(error as Error);

  const execute = async (job: Job): Promise<void> => {
    const attempt = { id: job.id, retryCount: job.retryCount };
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, stopping.signal]);
    const reportFailure = (reason: unknown): Promise<unknown> =>
      boss.fail(name, attempt, reason as Error).catch(report);
    const beat = setInterval(() => void boss.touch(name, attempt).catch(report), HEARTBEAT_MS);
    let isOver = false;
    const timeout = setTimeout(() => {
      isOver = true;
      const error = new Error(`the job took longer than ${timeoutSeconds} s`);
      void reportFailure(error);
      over.abort(error);
    }, timeoutSeconds * 1000);
    try {
      await perform(job, signal);
      if (!isOver) await boss.complete(name, attempt).catch(report);
    } catch (error) {
      if (!isOver) await reportFailure(error);
    } finally {
      clearTimeout(timeout);
      clearInterval(beat);
    }
  };

  const claimNext = async (): Promise<boolean> => {
    if (stopped || slots.free() === 0) return false;
    const [job] = await boss.fetch(name, {
      includeMetadata: true,
      ignoreGroups: slots.barred(),
      groupConcurrency: parallelOfPerson,
    });
    if (!job) return false;
    const slot = slots.take(job.groupId ?? NOBODY);
    const done = execute(job).finally(() => {
      slot.release();
      running.delete(done);
      look();
    });
    running.add(done);
    return true;
  };

  const lookForAll = async (): Promise<void> => {
    do {
      again = false;
      while (await claimNext());
    } while (again);
  };

  /** One look at a time, so that each sees what the others have taken. */
  const look = (): void => {
    again = true;
    looking ??= lookForAll()
      .catch(report)
      .finally(() => {
        looking = null;
      });
  };

  return {
    start() {
      look();
      timer = setInterval(look, pollSeconds * 1000);
    },
    async stop(withinMs) {
      stopped = true;
      clearInterval(timer);
      await looking;
      const all = Promise.all(running);
      const rest = new AbortController();
      await Promise.race([all, delay(withinMs, undefined, { signal: rest.signal }).catch(() => undefined)]);
      rest.abort();
      stopping.abort(new Error('the process stops'));
      await Promise.race([all, delay(withinMs, undefined, { ref: false })]);
    },
  };
}
