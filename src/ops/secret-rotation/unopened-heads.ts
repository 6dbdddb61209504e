/**
 * Handles request heads in inspectors that no secret opens, as `--leave-unopened` leaves them. Their content can't be
 * searched for a contact, so erasing any contact of the workspace deletes these requests. A head that another server
 * can still open is not one of them.
 */
import { getKeyId, type SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/db/database.ts';
import { findServersWithKey } from './serving.ts';
import * as store from './unopened-heads.store.ts';

/** @throws Error while another server can open what this one can't; try again later */
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
 * Deletes requests in inspectors whose heads `secrets` can't open. May be repeated.
 * @throws Error while another server can open one of them; none of them is then deleted
 */
export async function deleteUnopenedHeads(
  { db, secrets }: { db: Database; secrets: SecretBox },
  workspaceId: string,
  unopened: readonly store.SealedHead[],
): Promise<void> {
  for (const head of unopened) await assertNobodyOpens(db, secrets, head);
  await store.deleteHeads(db, workspaceId, unopened);
}
