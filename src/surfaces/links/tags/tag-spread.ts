/**
 * The job that follows a new name of a tag, and its deletion: each link that has it gets a new version, since what it
 * shows has changed, and `link.updated`. Batches commit one by one; a batch that ran is not found again, so that a job
 * that died goes on where it was.
 */
import type { Tx } from '../../../platform/db/database.ts';
import type { Units } from '../../../core/unit-of-work.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { bumpLinkVersions } from '../link-version.ts';
import * as store from './tag-spread.store.ts';

const BATCH = 200;
/** Of links that an event tells of; beyond, whoever mirrors links reads them anew. */
const MAX_TOLD = 10_000;

type Payload = JobPayloads['tags.spread'];

/** From the names that a link has now, those that it had. @param after what the tag is called now, if it is still there */
const tagsBefore = (now: readonly string[], before: string, after: string | null): string[] =>
  [...now.filter((name) => name !== after), before].toSorted();

const nextLinks = (db: Tx, { workspaceId, tagId, after, at }: Payload): Promise<string[]> =>
  after === null
    ? store.takeOffLinks(db, workspaceId, tagId, BATCH)
    : store.lockLinksBefore(db, workspaceId, tagId, new Date(at), BATCH);

/** Performs the job `tags.spread`. @throws where `signal` ends it early: it is to be begun again */
export async function spreadTagChange(
  units: Units,
  baseUrl: string,
  payload: Payload,
  signal?: AbortSignal,
): Promise<void> {
  for (let written = 0; ; written += BATCH) {
    signal?.throwIfAborted();
    const count = await units.write(async (unit) => {
      const ids = await nextLinks(unit.db, payload);
      if (!ids.length) return 0;
      const at = new Date(Math.max(unit.clock().getTime(), new Date(payload.at).getTime()));
      // By now it may have yet another name, which then is what its links show.
      const name = await store.nameOf(unit.db, payload.workspaceId, payload.tagId);
      const before = ({ tags }: { tags: string[] }) => ({ tags: tagsBefore(tags, payload.before, name) });
      await bumpLinkVersions(unit, baseUrl, payload.workspaceId, ids, written < MAX_TOLD ? before : null, at);
      return ids.length;
    });
    if (count === 0) return;
  }
}
