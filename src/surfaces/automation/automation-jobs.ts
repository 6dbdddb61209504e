/** Jobs of automation: their payloads, and how their queues are worked. */
import { LONG_WORK, type QueueRules } from '../../platform/jobs/queue-rules.ts';

declare module '../../platform/jobs/job-queue.ts' {
  interface JobPayloads {
    /**
     * Asks the model of a publishing endpoint about a publication; `only`: the destinations to publish to, null for
     * all; `tried` counts earlier failed attempts.
     */
    'publications.ask': { workspaceId: string; id: string; only: readonly number[] | null; tried: number };
    /** Cancels pending publications of a deleted publishing endpoint. */
    'publications.cancel': { workspaceId: string; endpointId: string };
    /** Confirms a subscription of Amazon SNS to a publishing endpoint, which is a UUID. */
    'publishing-endpoints.confirm': { workspaceId: string; endpointId: string; url: string };
  }
}

export const automationQueues = {
  // A user waits for the message.
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
  'publications.cancel': LONG_WORK,
  // A user waits for it at the AWS console.
  'publishing-endpoints.confirm': {
    tries: 8,
    firstWaitSeconds: 5,
    longestWaitSeconds: 3600,
    timeoutSeconds: 60,
    pollSeconds: 2,
    parallel: 4,
    slow: { afterMs: 3_000, places: 16 },
  },
} satisfies Record<string, QueueRules>;
