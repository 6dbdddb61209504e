/** Jobs of messaging: their payloads, and how their queues are worked. */
import { CLEANUP, IMPORT, LONG_WORK, type QueueRules } from '../../platform/jobs/queue-rules.ts';
import type { Progress } from '../../platform/jobs/turn.ts';

declare module '../../platform/jobs/job-queue.ts' {
  interface JobPayloads {
    /** Fetches a media file from its URL. `tried` counts earlier failed attempts. */
    'media.fetch': { workspaceId: string; id: string; tried: number };
    /** Removes a content's file once no media refers to it; SHA-256 in hexadecimal. */
    'media.collect': { workspaceId: string; sha256: string };
    /** Deletes messages, chats and the like of an instance that was deleted. */
    'instances.erase': { workspaceId: string; instanceId: string };
    /**
     * Moves a contact's data in chats and messages to the contact that it was merged into, which was `to` in the
     * previous turn.
     */
    'contacts.merge': {
      workspaceId: string;
      contactId: string;
      instanceIds: string[];
      to?: string;
      progress?: Progress;
    };
    /** Merges the second of two contacts, which a channel says are one person, into the first. */
    'contacts.join': { workspaceId: string; contactIds: [string, string] };
    /**
     * Imports contacts from a file. A file uploaded only for the job is deleted with it. `actorId`: public ID of the
     * caller.
     */
    'contacts.import': {
      workspaceId: string;
      jobId: string;
      mediaId: string;
      instanceId: string | null;
      actorId: string;
      deletesMedia: boolean;
    };
  }
}

export const messagingQueues = {
  // A user waits for the file in order to forward it.
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
  'instances.erase': CLEANUP,
  'contacts.merge': { ...LONG_WORK, parallel: 2, parallelOfPerson: 1 },
  'contacts.join': {
    tries: 20,
    firstWaitSeconds: 1,
    longestWaitSeconds: 3600,
    timeoutSeconds: 600,
    pollSeconds: 2,
    parallelOfPerson: 1,
  },
  'contacts.import': IMPORT,
} satisfies Record<string, QueueRules>;
