/** Reads the state that decides whether a person may sign up: existing users, the setup token, invitations. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

export interface SignUpState {
  hasUsers: boolean;
  setupTokenHash: Buffer | null;
}

export async function readSignUpState(db: Db): Promise<SignUpState> {
  const { rows } = await sql<SignUpState>`
    select exists (select from users) as "hasUsers", token_hash as "setupTokenHash" from first_user_setup
  `.execute(db);
  return rows[0]!;
}

/**
 * Serializes the decisions of sign-ups. The state must be read by a later statement, because only that sees the commit
 * of the sign-up before.
 */
export async function lockSignUp(trx: Tx): Promise<void> {
  await sql`select from first_user_setup for update`.execute(trx);
}

/** Whether an invitation (SHA-256 of its token) is pending for this address, in a workspace that exists. */
export async function isInvited(db: Db, tokenHash: Buffer, email: string): Promise<boolean> {
  const { rows } = await sql<{ invited: boolean }>`
    select exists (
      select from invite_tokens t
      join invitations i on i.workspace_id = t.workspace_id and i.id = t.invitation_id
      join workspaces w on w.id = i.workspace_id and w.deleted_at is null
      where t.hash = ${tokenHash} and i.state = 'pending' and i.expires_at > now()
        and lower(i.email) = ${email.toLowerCase()}
    ) as invited
  `.execute(db);
  return rows[0]!.invited;
}

/**
 * Keeps a new setup token, unless there is a user already, or another process made one less than `secondsAgo` ago.
 * @returns whether it was kept.
 */
export async function keepSetupToken(db: Db, tokenHash: Buffer, secondsAgo: number): Promise<boolean> {
  const { rows } = await sql`
    update first_user_setup set token_hash = ${tokenHash}, token_made_at = now()
    where not exists (select from users)
      and (token_made_at is null or token_made_at < now() - make_interval(secs => ${secondsAgo}))
    returning 1
  `.execute(db);
  return rows.length > 0;
}

export async function deleteSetupToken(db: Db): Promise<void> {
  await db.updateTable('first_user_setup').set({ token_hash: null, token_made_at: null }).execute();
}
