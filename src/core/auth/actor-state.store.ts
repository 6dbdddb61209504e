/** Whether the starter of background work may still do it, because no request authorizes it. */
import type { Db } from '../../platform/db/database.ts';
import { toUuid } from '../vocabulary/ids.ts';
import { sql } from 'kysely';

/**
 * Returns false for an API key that was revoked or has expired, and for a user who is no longer a member of the
 * workspace.
 * @param actorId public ID of a key or a user
 */
export async function isActorActive(db: Db, workspaceId: string, actorId: string): Promise<boolean> {
  const [keyId, userId] = [toUuid('api_key', actorId), toUuid('user', actorId)];
  if (keyId === null && userId === null) return true;
  const { rows } = await sql`
    select from api_keys where workspace_id = ${workspaceId} and id = ${keyId}
      and revoked_at is null and (expires_at is null or expires_at > now())
    union all
    select from members where workspace_id = ${workspaceId} and user_id = ${userId}
  `.execute(db);
  return rows.length > 0;
}
