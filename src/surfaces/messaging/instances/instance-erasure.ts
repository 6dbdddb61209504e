/**
 * Performs the job `instances.erase`: messages, chats, identities of contacts and what waited of an instance that was
 * deleted, in batches. It may be stopped and begun again at any point. Contacts stay, since they are the workspace's;
 * files stay until they are deleted, or their time is over, since other messages may show them.
 */
import type { Database } from '../../../platform/db/database.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { performInTurn, UNSHARED } from '../../../platform/jobs/turn.ts';
import { getInstance } from './instance.store.ts';
import { deleteRows, instanceTables } from './instance-erasure.store.ts';

const BATCH = 2_000;

/**
 * Performs the job `instances.erase`.
 * @returns what is left for its next turn
 * @throws Error where the instance is not deleted, or the turn's signal ends it early: it is to be begun again
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
