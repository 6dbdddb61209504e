/** Users and their passwords in the database. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { endSessions } from './sessions.system-store.ts';

export interface UserRow {
  id: string;
  name: string;
  email: string;
  created_at: Date;
  disabled_at: Date | null;
}

const CREDENTIAL = 'credential';
const COLUMNS = ['id', 'name', 'email', 'created_at', 'disabled_at'] as const;

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | null> {
  const row = await db
    .selectFrom('users')
    .select(COLUMNS)
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst();
  return row ?? null;
}

/** Everybody, oldest first, with the time of their newest session and how many workspaces they are in. */
export async function listUsers(db: Db) {
  const { rows } = await sql<UserRow & { last_signed_in: Date | null; workspaces: number }>`
    select u.id, u.name, u.email, u.created_at, u.disabled_at,
           (select max(s.created_at) from sessions s where s.user_id = u.id) as last_signed_in,
           (select count(*) from members m where m.user_id = u.id) as workspaces
    from users u order by u.id
  `.execute(db);
  return rows;
}

/** The stored hash of a user's password, or null. */
export async function getPasswordHash(db: Db, userId: string): Promise<string | null> {
  const row = await db
    .selectFrom('accounts')
    .select('password')
    .where('user_id', '=', userId)
    .where('provider_id', '=', CREDENTIAL)
    .executeTakeFirst();
  return row?.password ?? null;
}

/** Returns the stored hash of the password that signs in to an email, or null. */
export async function passwordHashByEmail(db: Db, email: string): Promise<string | null> {
  const row = await db
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .select('accounts.password')
    .where('users.email', '=', email.toLowerCase())
    .where('accounts.provider_id', '=', CREDENTIAL)
    .executeTakeFirst();
  return row?.password ?? null;
}

/**
 * Locks a user until the transaction ends, so that no other transaction signs them in or changes them. See
 * lockForSession for the order.
 */
export async function lockUser(trx: Tx, userId: string): Promise<void> {
  await trx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute();
}

/** Invalidates requested reset tokens. */
export async function deleteResetTokens(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('verifications').where('value', '=', userId).execute();
}

/** The user that a reset token (its stored hash) was made for, while it holds good. Does not use it up. */
export async function userOfResetToken(
  db: Db,
  identifier: string,
): Promise<{ id: string; email: string; name: string } | null> {
  const row = await db
    .selectFrom('verifications')
    .innerJoin('users', (join) => join.on('users.id', '=', sql<string>`verifications.value::uuid`))
    .select(['users.id', 'users.email', 'users.name'])
    .where('identifier', '=', identifier)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row ?? null;
}

/** Sets a password from outside the library: all sessions end, the epoch rises (triggers of 0002_identity.sql). */
export async function setPassword(trx: Tx, userId: string, passwordHash: string): Promise<void> {
  await lockUser(trx, userId);
  await trx
    .insertInto('accounts')
    .values({
      id: newUuid(),
      user_id: userId,
      provider_id: CREDENTIAL,
      account_id: userId,
      password: passwordHash,
    })
    .onConflict((conflict) =>
      conflict.columns(['provider_id', 'account_id']).doUpdateSet({
        password: passwordHash,
        updated_at: sql<Date>`now()`,
      }),
    )
    .execute();
  await deleteResetTokens(trx, userId);
  await endSessions(trx, userId);
}

/** Takes away, or gives back, a user's right to sign in. Disabling ends all sessions. */
export async function setDisabled(trx: Tx, userId: string, disabled: boolean): Promise<void> {
  await trx
    .updateTable('users')
    .set({
      disabled_at: disabled ? sql<Date>`coalesce(disabled_at, now())` : null,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', userId)
    .execute();
  if (disabled) await endSessions(trx, userId);
}

export async function renameUser(db: Db, userId: string, name: string): Promise<UserRow> {
  return db
    .updateTable('users')
    .set({ name, updated_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}
