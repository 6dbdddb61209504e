/**
 * Performs the job `instances.erase`: deletes messages, chats, identities of contacts and queued rows of a deleted
 * instance, in batches. It may be stopped and restarted at any point. Contacts stay, because they belong to the
 * workspace; files stay until they are deleted or expire, because other messages may show them.
 */
import type { Database } from '../../../platform/db/database.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { performInTurn, UNSHARED } from '../../../platform/jobs/turn.ts';
import { getInstance } from './instance.store.ts';
import { deleteRows, instanceTables } from './instance-erasure.store.ts';

const BATCH = 2_000;

/**
 * Performs the job `instances.erase`.
 * @returns the remaining work for the next turn
 * @throws Error if the instance is not deleted, or the turn's signal ends it early and it must be restarted
 */
export async function eraseInstance(
  db: Database,
  payload: JobPayloads['instances.erase'],
  turn = UNSHARED,
): Promise<typeof payload | void> {
  const { workspaceId, instanceId } = payload;
  if (await getInstance(db, workspaceId, instanceId))
    throw new Error(`instance ${instanceId} is not deleted, so it is not erased`);
  for (const table of await instanceTables(db)) {
    const deleteBatch = async (): Promise<boolean> =>
      (await deleteRows(db, table, workspaceId, instanceId, BATCH)) === BATCH;
    if (!(await performInTurn(turn, deleteBatch))) return payload;
  }
}
