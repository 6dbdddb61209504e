/**
 * Deletes media that are older than their workspace keeps them, each hour: rows in small transactions, and after each
 * the contents that no row refers to any more. What a crash leaves between the two, the sweep removes. Workspaces take
 * turns, so that one with millions of old files keeps no other waiting.
 */
import { firstUuidAt } from '../../db/uuid-time.ts';
import type { Database } from '../../db/database.ts';
import type { Units } from '../../db/unit.ts';
import type { MediaFiles } from './media-files.ts';
import { collectContent } from './media.service.ts';
import { deleteMediaBefore } from './media.store.ts';
import { type Retention, retentions } from './media.system-store.ts';

const DAY_MS = 24 * 3600 * 1000;
const BATCH = 200;
/** Workspaces that take turns with each other. */
const GROUP = 500;
/** Contents that are removed at once. */
const PARALLEL = 4;

/** @returns how many rows; at most BATCH */
async function deleteBatch(
  units: Units,
  files: MediaFiles,
  { workspaceId, days }: Retention,
  now: Date,
): Promise<number> {
  const before = firstUuidAt(new Date(now.getTime() - days * DAY_MS));
  const deleted = await units.write((unit) => deleteMediaBefore(unit.db, workspaceId, before, BATCH));
  const contents = [...new Set(deleted.flatMap((sha256) => sha256?.toString('hex') ?? []))];
  for (let at = 0; at < contents.length; at += PARALLEL)
    await Promise.all(
      contents
        .slice(at, at + PARALLEL)
        .map((sha256) => units.write((unit) => collectContent(unit, files, workspaceId, sha256))),
    );
  return deleted.length;
}

/** To be scheduled each hour; may be stopped at any point. @returns how many media were deleted */
export async function deleteOldMedia(
  db: Database,
  units: Units,
  files: MediaFiles,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let after: string | null = null; ;) {
    const group: Retention[] = await retentions(db, after, GROUP);
    let turns = group;
    while (turns.length > 0) {
      const again: Retention[] = [];
      for (const retention of turns) {
        if (signal?.aborted) return total;
        const deleted = await deleteBatch(units, files, retention, now);
        total += deleted;
        if (deleted === BATCH) again.push(retention);
      }
      turns = again;
    }
    if (group.length < GROUP) return total;
    after = group.at(-1)!.workspaceId;
  }
}
