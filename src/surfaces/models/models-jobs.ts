/** Jobs of models: their payloads, and how their queues are worked. */
import type { QueueRules } from '../../platform/jobs/queue-rules.ts';

declare module '../../platform/jobs/job-queue.ts' {
  interface JobPayloads {
    /** Reads the model list of a provider that was created or changed. */
    'model-providers.refresh': { workspaceId: string; id: string };
  }
}

export const modelsQueues = {
  // A user waits for the models.
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
} satisfies Record<string, QueueRules>;
