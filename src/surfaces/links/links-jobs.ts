/** Jobs of short links: their payloads, and how their queues are worked. */
import { CLEANUP, IMPORT, LONG_WORK, type QueueRules } from '../../platform/jobs/queue-rules.ts';

declare module '../../platform/jobs/job-queue.ts' {
  interface JobPayloads {
    /** The same of short links. `domain`: where all lines go; null where each says so itself. */
    'links.import': {
      workspaceId: string;
      jobId: string;
      mediaId: string;
      domain: string | null;
      actorId: string;
      deletesMedia: boolean;
    };
    /** Gives links that were made for messages to these contacts to another, or to none. */
    'links.contacts': { workspaceId: string; contactIds: string[]; to: string | null };
    /**
     * Emits updates of the links of a tag that was renamed, or deleted if `after` is null; `at` in RFC 3339. `written`:
     * the number of earlier turns that wrote.
     */
    'tags.spread': {
      workspaceId: string;
      tagId: string;
      before: string;
      after: string | null;
      at: string;
      written?: number;
    };
    /** Deletes the click data of deleted links. */
    'links.erase': { workspaceId: string; linkIds: string[] };
  }
}

export const linksQueues = {
  'links.import': IMPORT,
  'links.contacts': {
    ...LONG_WORK,
    // One at a time, because a later job may depend on an earlier one.
    parallelOfPerson: 1,
  },
  'tags.spread': {
    ...LONG_WORK,
    pollSeconds: 1,
    // One at a time, because a later job may depend on an earlier one.
    parallelOfPerson: 1,
  },
  'links.erase': CLEANUP,
} satisfies Record<string, QueueRules>;
