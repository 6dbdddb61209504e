/**
 * Heads of requests at inspectors that open under no secret, as `--leave-unopened` leaves them: nobody can tell whom they
 * name, so the erasure of any contact of their workspace deletes these requests. A head under a secret that another server
 * still opens is no such one.
 */
import { keyIdOf, type SecretBox } from '../auth/secret-box.ts';
import type { Database } from '../db/database.ts';
import { FIRST_UUID } from '../db/uuid-time.ts';
import { openHead } from '../webhooks/inspector-request.service.ts';
import { whoOpens } from './serving.ts';
import * as store from './unopened-heads.store.ts';

/** Few, since a head may have 400 KiB. */
const PAGE = 50;

function opens(secrets: SecretBox, workspaceId: string, { id, head_sealed }: store.HeadRow): boolean {
  try {
    openHead(secrets, workspaceId, id, head_sealed);
    return true;
  } catch {
    return false;
  }
}

/** @throws Error while a server serves that opens what this one does not: it is to be tried again */
async function assertNobodyOpens(
  db: Database,
  secrets: SecretBox,
  { head_sealed }: store.HeadRow,
): Promise<void> {
  const keyId = keyIdOf(head_sealed);
  if (keyId === null || secrets.keyIds.includes(keyId)) return;
  const others = await whoOpens(db, keyId);
  if (others.length)
    throw new Error(`the server at ${others.join(', ')} has a secret that is missing here (key ${keyId})`);
}

/**
 * Deletes what opens under no secret of a workspace's requests at inspectors. May be run again.
 * @returns how many. @throws where `signal` ends it early; Error while another server opens one of them
 */
export async function deleteUnopenedHeads(
  { db, secrets }: { db: Database; secrets: SecretBox },
  workspaceId: string,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  let after: store.Place = { inspector_id: FIRST_UUID, number: 0 };
  for (;;) {
    signal?.throwIfAborted();
    const rows = await store.headsAfter(db, workspaceId, after, PAGE);
    if (rows.length === 0) return deleted;
    const unopened = rows.filter((row) => !opens(secrets, workspaceId, row));
    for (const row of unopened) await assertNobodyOpens(db, secrets, row);
    deleted += await store.deleteHeads(db, workspaceId, unopened);
    after = rows.at(-1)!;
  }
}
