/** Sessions in the database: only the hash of a token is there. */
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { SessionRow } from '../guard.ts';
import { hashToken } from '../session-cookie.ts';

/** How many sessions a user may have. The oldest ends when another one begins. */
export const MAX_SESSIONS = 100;

export interface FoundSession extends SessionRow {
  userCreatedAt: Date;
}

export interface SessionDetails {
  id: string;
  ip_address: string | null;
  user_agent: string | null;
  created_at: Date;
  expires_at: Date;
}

/**
 * Finds the session of a token, if it and its user are valid, together with the epoch of the same snapshot, which makes
 * caching it safe (auth/epoch.ts). One statement.
 */
export async function findSession(db: Db, token: string): Promise<FoundSession | null> {
  const { rows } = await sql<FoundSession>`
    select s.id as "sessionId", s.user_id as "userId", u.name as "userName", u.email, u.created_at as "userCreatedAt",
           s.expires_at as "expiresAt", (select epoch from auth_epoch) as epoch
    from sessions s join users u on u.id = s.user_id
    where s.token_hash = ${hashToken(token)} and s.expires_at > now() and u.disabled_at is null
  `.execute(db);
  return rows[0] ?? null;
}

/** Sessions of a user that hold good, newest first. */
export function listSessions(db: Db, userId: string): Promise<SessionDetails[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'ip_address', 'user_agent', 'created_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('id', 'desc')
    .execute();
}

/** @returns how many ended. `only`: none but this one; `but`: all but this one. */
export async function endSessions(
  db: Db,
  userId: string,
  which: { only?: string; but?: string } = {},
): Promise<number> {
  let query = db.deleteFrom('sessions').where('user_id', '=', userId);
  if (which.only !== undefined) query = query.where('id', '=', which.only);
  if (which.but !== undefined) query = query.where('id', '!=', which.but);
  const { numDeletedRows } = await query.executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Ends the oldest sessions of a user beyond `MAX_SESSIONS`. Those that another transaction is ending are skipped, so
 * that two concurrent sign-ins never wait for each other's rows.
 */
export async function endOldestSessions(trx: Tx, userId: string): Promise<void> {
  await sql`
    delete from sessions where id in (
      select id from sessions where user_id = ${userId} order by id desc offset ${MAX_SESSIONS} for update skip locked
    )
  `.execute(trx);
}

/** Ends the session of a token, of any user. */
export async function endSessionFor(db: Db, token: string): Promise<void> {
  await db.deleteFrom('sessions').where('token_hash', '=', hashToken(token)).execute();
}

/**
 * Locks the user until the transaction ends, and checks that they may have a session. A transaction that disables the
 * user or changes the password either waits for this lock and then ends the new session, or comes first, and no session
 * is created. Locks are taken in the order users, accounts, sessions, auth_epoch.
 * @param verified the stored hash that the password was checked against; null if none was checked
 * @throws Problem user_disabled, invalid_credentials
 */
export async function lockForSession(trx: Tx, userId: string, verified: string | null): Promise<void> {
  const user = await trx
    .selectFrom('users')
    .select('disabled_at')
    .where('id', '=', userId)
    .forShare()
    .executeTakeFirst();
  if (!user) throw new Problem('invalid_credentials', 'The email or password is incorrect.');
  if (user.disabled_at)
    throw new Problem('user_disabled', 'This user was disabled by the operator of the server.');
  if (verified === null) return;
  const account = await trx
    .selectFrom('accounts')
    .select('password')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .forShare()
    .executeTakeFirst();
  if (account?.password !== verified)
    throw new Problem('invalid_credentials', 'The password was just changed. Sign in with the new password.');
}

/** Deletes expired sessions, reset tokens, counters and known addresses. @returns rows deleted. */
export async function deleteExpired(db: Db): Promise<number> {
  const counts = [];
  const statements: RawBuilder<unknown>[] = [
    sql`delete from sessions where expires_at <= now()`,
    sql`delete from verifications where expires_at <= now()`,
    sql`delete from auth_attempts where window_ends <= now()`,
    sql`delete from known_addresses where expires_at <= now()`,
  ];
  for (const statement of statements) counts.push(Number((await statement.execute(db)).numAffectedRows ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}
