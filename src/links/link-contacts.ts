/**
 * The job that follows a contact which is erased or merged into another: links that were made for messages to it know it
 * no more, or know the other. Batches commit one by one; a batch that ran is not found again.
 */
import type { Units } from '../db/unit.ts';
import { publicId } from '../http/ids.ts';
import type { JobPayloads } from '../jobs/job-queue.ts';
import { touchLinks } from './link-touch.ts';
import { giveLinks } from './link-touch.store.ts';

const BATCH = 200;

/** Performs the job `links.contacts`. @throws where `signal` ends it early: it is to be begun again */
export async function giveLinksOfContacts(
  units: Units,
  baseUrl: string,
  { workspaceId, contactIds, to }: JobPayloads['links.contacts'],
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const count = await units.write(async (unit) => {
      const had = await giveLinks(unit.db, workspaceId, contactIds, to, BATCH);
      const before = new Map([...had].map(([id, contactId]) => [publicId('link', id), contactId]));
      if (had.size)
        await touchLinks(unit, baseUrl, workspaceId, [...had.keys()], ({ id }) => ({
          contact_id: publicId('contact', before.get(id)!),
        }));
      return had.size;
    });
    if (count < BATCH) return;
  }
}
