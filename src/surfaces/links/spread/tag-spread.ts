/**
 * The job that propagates a renamed or deleted tag: bumps the version of each link with the tag and writes
 * `link.updated`. Work is committed batch by batch. Processed links are not found again, so a job that died continues
 * where it stopped.
 */
import type { Tx } from '../../../platform/db/database.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { performInTurn, UNSHARED } from '../../../platform/jobs/turn.ts';
import { bumpLinkVersions } from './link-version.ts';
import * as store from './tag-spread.store.ts';

const BATCH = 200;
/** Maximum number of `link.updated` events; to mirror more links, clients have to reload them. */
const MAX_EVENTS = 10_000;

type Payload = JobPayloads['tags.spread'];

/** Reconstructs the previous tag names of a link. @param after current name of the tag; null if it is deleted */
const getPreviousTags = (now: readonly string[], before: string, after: string | null): string[] =>
  [...now.filter((name) => name !== after), before].toSorted();

const lockNextLinks = (db: Tx, { workspaceId, tagId, after, at }: Payload): Promise<string[]> =>
  after === null
    ? store.removeFromLinks(db, workspaceId, tagId, BATCH)
    : store.lockLinksBefore(db, workspaceId, tagId, new Date(at), BATCH);

/**
 * Executes the job `tags.spread`.
 * @returns the payload of its next turn
 * @throws if the turn's signal aborts it; the job is then retried
 */
export async function propagateTagChange(
  units: Units,
  baseUrl: string,
  payload: Payload,
  turn = UNSHARED,
): Promise<Payload | void> {
  let { written = 0 } = payload;
  const spreadBatch = async (): Promise<boolean> => {
    const count = await units.write(async (unit) => {
      const ids = await lockNextLinks(unit.db, payload);
      if (!ids.length) return 0;
      const at = new Date(Math.max(unit.clock().getTime(), new Date(payload.at).getTime()));
      // The tag may have been renamed again; its links then show the latest name.
      const name = await store.getTagName(unit.db, payload.workspaceId, payload.tagId);
      const getPrevious = ({ tags }: { tags: string[] }) => ({
        tags: getPreviousTags(tags, payload.before, name),
      });
      await bumpLinkVersions(
        unit,
        baseUrl,
        payload.workspaceId,
        ids,
        written < MAX_EVENTS ? getPrevious : null,
        at,
      );
      return ids.length;
    });
    written += BATCH;
    return count > 0;
  };
  if (!(await performInTurn(turn, spreadBatch))) return { ...payload, written };
}
