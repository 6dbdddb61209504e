/** Jobs that remove contents of deleted media; they are retried while a backup runs (backup-hold.store.ts). */
import type { Database } from '../../../platform/db/database.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { mayRemoveContents } from './backup-hold.store.ts';
import type { MediaFiles } from './media-files.ts';
import { collectContent } from './media.service.ts';

const held = (): Error => new Error('a backup runs: what is to be removed is removed after it');

/** Performs `media.collect`. @throws Error while a backup runs */
export async function executeCollect(
  { units, files }: { units: Units; files: MediaFiles },
  { workspaceId, sha256 }: { workspaceId: string; sha256: string },
): Promise<void> {
  if ((await units.write((unit) => collectContent(unit, files, workspaceId, sha256))) === 'held')
    throw held();
}

/**
 * Removes all contents of a workspace, once the deletion of their rows is committed.
 * @throws Error while a backup runs
 */
export async function removeContents(db: Database, files: MediaFiles, workspaceId: string): Promise<void> {
  if (!(await mayRemoveContents(db))) throw held();
  await files.removeWorkspace(workspaceId);
}
