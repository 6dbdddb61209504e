/**
 * Heads of requests at inspectors that open under no secret, as `--leave-unopened` leaves them: nobody can tell whom they
 * name, so the erasure of any contact of their workspace deletes these requests. A head under a secret that another server
 * still opens is no such one.
 */
import { getKeyId, type SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/db/database.ts';
import { findServersWithKey } from './serving.ts';
import * as store from './unopened-heads.store.ts';

/** @throws Error while a server serves that opens what this one does not: it is to be tried again */
async function assertNobodyOpens(
  db: Database,
  secrets: SecretBox,
  { head_sealed }: store.SealedHead,
): Promise<void> {
  const keyId = getKeyId(head_sealed);
  if (keyId === null || secrets.keyIds.includes(keyId)) return;
  const others = await findServersWithKey(db, keyId);
  if (others.length)
    throw new Error(`the server at ${others.join(', ')} has a secret that is missing here (key ${keyId})`);
}

/**
 * Deletes requests at inspectors whose heads `secrets` does not open. May be run again.
 * @throws Error while another server opens one of them: then none of these goes
 */
export async function deleteUnopenedHeads(
  { db, secrets }: { db: Database; secrets: SecretBox },
  workspaceId: string,
  unopened: readonly store.SealedHead[],
): Promise<void> {
  for (const head of unopened) await assertNobodyOpens(db, secrets, head);
  await store.deleteHeads(db, workspaceId, unopened);
}
