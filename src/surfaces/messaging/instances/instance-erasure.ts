/**
 * Performs the job `instances.erase`: messages, chats, identities of contacts and what waited of an instance that was
 * deleted, in batches. It may be stopped and begun again at any point. Contacts stay, since they are the workspace's;
 * files stay until they are deleted, or their time is over, since other messages may show them.
 */
import { inBatches } from '../../../platform/db/batches.ts';
import type { Database } from '../../../platform/db/database.ts';
import { getInstance } from './instance.store.ts';
import { deleteRows, instanceTables } from './instance-erasure.store.ts';

const BATCH = 2_000;

/** @throws Error where the instance is not deleted, or `signal` ends it early: it is to be begun again */
export async function eraseInstance(
  db: Database,
  { workspaceId, instanceId }: { workspaceId: string; instanceId: string },
  signal?: AbortSignal,
): Promise<void> {
  if (await getInstance(db, workspaceId, instanceId))
    throw new Error(`instance ${instanceId} is not deleted, so it is not erased`);
  for (const table of await instanceTables(db)) {
    await inBatches(BATCH, (max) => deleteRows(db, table, workspaceId, instanceId, max), signal);
    signal?.throwIfAborted();
  }
}
