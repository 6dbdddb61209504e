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

export const QUEUES: Record<JobName, QueueRules> = {
  // Somebody waits for it; a mail server may be away for hours.
  'mail.send': {
    tries: 12,
    firstWaitSeconds: 15,
    longestWaitSeconds: 3600,
    timeoutSeconds: 60,
    pollSeconds: 2,
  },
  // Somebody waits for it, to send it on.
  'media.fetch': {
    tries: 5,
    firstWaitSeconds: 5,
    longestWaitSeconds: 60,
    timeoutSeconds: 180,
    pollSeconds: 1,
    // One waits for a slow address; others must not wait for it.
    parallel: 16,
    slow: { afterMs: 5_000, places: 32 },
  },
  'media.collect': {
    tries: 10,
    firstWaitSeconds: 5,
    longestWaitSeconds: 3600,
    timeoutSeconds: 60,
    pollSeconds: 2,
    parallel: 4,
  },
  'instances.erase': {
    tries: 20,
    firstWaitSeconds: 10,
    longestWaitSeconds: 3600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 5,
  },
  // Somebody waits for the message.
  'publications.ask': {
    tries: 5,
    firstWaitSeconds: 5,
    longestWaitSeconds: 60,
    timeoutSeconds: 180,
    pollSeconds: 1,
    // One waits for a slow model; others must not wait for it.
    parallel: 16,
    slow: { afterMs: 10_000, places: 32 },
  },
  'publications.cancel': {
    tries: 20,
    firstWaitSeconds: 5,
    longestWaitSeconds: 3600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 2,
  },
  // Somebody waits for it at the console of AWS.
  'publishing-endpoints.confirm': {
    tries: 8,
    firstWaitSeconds: 5,
    longestWaitSeconds: 3600,
    timeoutSeconds: 60,
    pollSeconds: 2,
    parallel: 4,
    slow: { afterMs: 3_000, places: 16 },
  },
  'contacts.merge': {
    tries: 20,
    firstWaitSeconds: 5,
    longestWaitSeconds: 3600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 2,
    parallel: 2,
    parallelOfPerson: 1,
  },
  'contacts.join': {
    tries: 20,
    firstWaitSeconds: 1,
    longestWaitSeconds: 3600,
    timeoutSeconds: 600,
    pollSeconds: 2,
    parallelOfPerson: 1,
  },
  'contacts.erase': {
    tries: 20,
    firstWaitSeconds: 5,
    longestWaitSeconds: 3600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 2,
    parallel: 2,
    parallelOfPerson: 1,
  },
  'contacts.forget': {
    tries: 20,
    firstWaitSeconds: 5,
    longestWaitSeconds: 3600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 2,
    parallel: 2,
    parallelOfPerson: 1,
  },
  // Somebody watches its progress.
  'contacts.import': {
    tries: 10,
    firstWaitSeconds: 5,
    longestWaitSeconds: 600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 1,
    parallel: 2,
    parallelOfPerson: 1,
  },
  'links.import': {
    tries: 10,
    firstWaitSeconds: 5,
    longestWaitSeconds: 600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 1,
    parallel: 2,
    parallelOfPerson: 1,
  },
  'links.contacts': {
    tries: 20,
    firstWaitSeconds: 5,
    longestWaitSeconds: 3600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 2,
    // One at a time: a later one may go on from what an earlier one does.
    parallelOfPerson: 1,
  },
  'tags.spread': {
    tries: 20,
    firstWaitSeconds: 5,
    longestWaitSeconds: 3600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 1,
    // One at a time: a later one may go on from what an earlier one does.
    parallelOfPerson: 1,
  },
  'links.erase': {
    tries: 20,
    firstWaitSeconds: 10,
    longestWaitSeconds: 3600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 5,
  },
  'contacts.words': {
    tries: 20,
    firstWaitSeconds: 10,
    longestWaitSeconds: 3600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 5,
  },
  'inspectors.clean': {
    tries: 20,
    firstWaitSeconds: 10,
    longestWaitSeconds: 3600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 5,
  },
  // It ends what somebody no longer may.
  'created-objects.disable': {
    tries: 20,
    firstWaitSeconds: 5,
    longestWaitSeconds: 3600,
    timeoutSeconds: 3600,
    pollSeconds: 2,
  },
  // Somebody waits for the models.
  'model-providers.refresh': {
    tries: 3,
    firstWaitSeconds: 5,
    longestWaitSeconds: 60,
    timeoutSeconds: 60,
    pollSeconds: 1,
    // One waits for a slow provider; others must not wait for it.
    parallel: 8,
    slow: { afterMs: 3_000, places: 32 },
  },
  'workspaces.erase': {
    tries: 10,
    firstWaitSeconds: 60,
    longestWaitSeconds: 3600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 30,
    parallel: 2,
    parallelOfPerson: 1,
  },
  // Somebody watches its progress.
  'webhooks.replay': {
    tries: 10,
    firstWaitSeconds: 5,
    longestWaitSeconds: 600,
    timeoutSeconds: 6 * 3600,
    pollSeconds: 2,
  },
};

/** Of scheduled work: what fails waits for its next turn. */
export const SCHEDULED: QueueRules = {
  tries: 2,
  firstWaitSeconds: 60,
  longestWaitSeconds: 600,
  timeoutSeconds: 3600,
  pollSeconds: 30,
};
