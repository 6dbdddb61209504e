/** Finding an invitation by its token, which does not tell the workspace. */
import type { Db } from '../../platform/db/database.ts';

/** @param tokenHash SHA-256 of the token */
export function findInvitationByToken(
  db: Db,
  tokenHash: Buffer,
): Promise<{ workspace_id: string; invitation_id: string } | undefined> {
  return db
    .selectFrom('invite_tokens')
    .select(['workspace_id', 'invitation_id'])
    .where('hash', '=', tokenHash)
    .executeTakeFirst();
}
