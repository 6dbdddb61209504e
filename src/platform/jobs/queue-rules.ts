/**
 * How each queue is worked: how often a job is tried, how long it may take, how soon it is seen. In all of them persons
 * take turns (turns.system-store.ts), one job each, those of their workspaces together, and share the slots
 * (fair-slots.ts).
 */
import type { JobName } from './job-queue.ts';

export interface QueueRules {
  /** Tries in all. */
  tries: number;
  /** Wait before the second try; it doubles, with jitter, up to `longestWaitSeconds`. */
  firstWaitSeconds: number;
  longestWaitSeconds: number;
  /** A try that takes longer counts as failed. */
  timeoutSeconds: number;
  /** Polling interval while the queue is empty; after a job the next poll follows immediately. */
  pollSeconds: number;
  /** Maximum concurrent jobs per process. Default: 1. */
  parallel?: number;
  /**
   * Maximum concurrent jobs of one person, in all processes, of queues whose jobs depend on each other. Two processes
   * that look at the same moment may exceed it by one. Default: the share of fair-slots.ts, in each process.
   */
  parallelOfPerson?: number;
  /** Of jobs that wait for somebody else's server: see fair-slots.ts. */
  slow?: { afterMs: number; places: number };
}

export type QueueTable = Record<JobName, QueueRules>;

/** Of long work that takes turns and must end some day. */
export const LONG_WORK = {
  tries: 20,
  firstWaitSeconds: 5,
  longestWaitSeconds: 3600,
  timeoutSeconds: 6 * 3600,
  pollSeconds: 2,
} satisfies QueueRules;

/** Of long work that nobody waits for. */
export const CLEANUP = { ...LONG_WORK, firstWaitSeconds: 10, pollSeconds: 5 } satisfies QueueRules;

/** Of long work of which somebody watches the progress. */
export const WATCHED_WORK = { ...LONG_WORK, tries: 10, longestWaitSeconds: 600 } satisfies QueueRules;

/** Of imports, one of each person at a time. */
export const IMPORT = {
  ...WATCHED_WORK,
  pollSeconds: 1,
  parallel: 2,
  parallelOfPerson: 1,
} satisfies QueueRules;

export const mailQueues = {
  // Somebody waits for it; a mail server may be away for hours.
  'mail.send': {
    tries: 12,
    firstWaitSeconds: 15,
    longestWaitSeconds: 3600,
    timeoutSeconds: 60,
    pollSeconds: 2,
  },
} satisfies Record<string, QueueRules>;

/** Of scheduled work: what fails waits for its next turn. */
export const SCHEDULED: QueueRules = {
  tries: 2,
  firstWaitSeconds: 60,
  longestWaitSeconds: 600,
  timeoutSeconds: 3600,
  pollSeconds: 30,
};
