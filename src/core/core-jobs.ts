/** Jobs of the core: their payloads, and how their queues are worked. */
import { LONG_WORK, WATCHED_WORK, type QueueRules } from '../platform/jobs/queue-rules.ts';
import type { Progress } from '../platform/jobs/turn.ts';

declare module '../platform/jobs/job-queue.ts' {
  interface JobPayloads {
    /** Erases the remaining data of an erased contact, which its row in `contact_erasures` identifies. */
    'contacts.forget': { workspaceId: string; erasureId: string; progress?: Progress };
    /** Erases a deleted workspace's rows. */
    'workspaces.erase': { workspaceId: string };
    /**
     * Disables what a key or member created, after either ended. `createdBy`: its public ID; `createdBefore` in RFC 3339: a member
     * may join again.
     */
    'created-objects.disable': {
      workspaceId: string;
      createdBy: string;
      reason: 'api_key_revoked' | 'api_key_expired' | 'member_removed';
      createdBefore: string;
    };
    /** Sends events of a span of time again; `statuses` as the caller chose them. Times in RFC 3339. */
    'webhooks.replay': {
      workspaceId: string;
      webhookId: string;
      jobId: string;
      since: string;
      until: string;
      statuses: string[];
    };
  }
}

export const coreQueues = {
  'contacts.forget': { ...LONG_WORK, parallel: 2, parallelOfPerson: 1 },
  // Revokes rights that no longer apply.
  'created-objects.disable': {
    tries: 20,
    firstWaitSeconds: 5,
    longestWaitSeconds: 3600,
    timeoutSeconds: 3600,
    pollSeconds: 2,
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
  'webhooks.replay': WATCHED_WORK,
} satisfies Record<string, QueueRules>;
