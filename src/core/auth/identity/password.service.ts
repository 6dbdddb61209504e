/**
 * Changes a password with the current one, or with a link in an email. Either way, one transaction ends all other
 * sessions and invalidates other reset links. Hashes are computed before it begins.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../platform/config/config.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { SendLater } from '../../../platform/mail/mail-job.ts';
import { passwordResetMail } from '../../../platform/mail/templates.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { SessionRow } from '../guard.ts';
import type { Attempts } from './attempts.ts';
import { currentCall } from './call-scope.ts';
import { hashPath } from './hash-path.ts';
import type { KnownDevices } from './known-devices.ts';
import { type Caller, type Library, wrongPassword } from './library.ts';
import { type LibraryUser, RESET_TOKEN_SECONDS, resetIdentifier } from './library-options.ts';
import type { PasswordHasher } from './password-hash.ts';
import { requireStrong } from './sign-up.service.ts';
import {
  findUserByEmail,
  deleteResetTokens,
  lockUser,
  getPasswordHash,
  userOfResetToken,
} from './users.system-store.ts';

/**
 * Duration in ms of every reset request, longer than the work for an existing user, so that it doesn't reveal whether
 * the user exists.
 */
const RESET_ANSWER_MS = 250;

export function createPasswords(deps: {
  db: Database;
  library: Library;
  attempts: Attempts;
  known: KnownDevices;
  hasher: PasswordHasher;
  mailEnabled: boolean;
  log: Pick<Log, 'info'>;
}) {
  const { db, library, attempts, known, hasher, log } = deps;

  const invalidToken = () =>
    new Problem(
      'reset_token_invalid',
      'The link was already used, has expired, or is incomplete. Request a new one.',
    );

  return {
    /**
     * Mails a link, where there is such a user. The answer is the same otherwise, and takes as long.
     * @throws Problem mail_not_configured, rate_limited
     */
    async requestReset(caller: Caller, email: string): Promise<void> {
      if (!deps.mailEnabled)
        throw new Problem(
          'mail_not_configured',
          'This server does not send email. Its operator can set a password: fairlead admin reset-password EMAIL',
        );
      await attempts.count('request_reset', { ip: caller.ip, email });
      const floor = sleep(RESET_ANSWER_MS);
      try {
        await db
          .transaction()
          .execute((trx) =>
            library.call(caller, { trx }, (api, headers) =>
              api.requestPasswordReset({ body: { email }, headers, returnHeaders: true }),
            ),
          );
      } finally {
        await floor;
      }
    },

    /**
     * Sets a new password with the one-time token of an email. The device becomes known, so attempts by strangers can't
     * block the next sign-in.
     * @returns cookies that make the device known. @throws Problem reset_token_invalid, password_too_short,
     * password_too_weak, rate_limited
     */
    async reset(caller: Caller, token: string, newPassword: string): Promise<string[]> {
      requireStrong(newPassword, '/new_password', {});
      const user = await userOfResetToken(db, resetIdentifier(token));
      if (user === null) {
        // Only wrong tokens count: strangers at the same address can't block the holder of a valid one.
        await attempts.count('reset', { ip: caller.ip });
        throw invalidToken();
      }
      requireStrong(newPassword, '/new_password', user);
      const passwordHash = await hasher.hash(
        newPassword,
        hashPath(caller.ip, user.email, true),
        caller.signal,
      );
      const prepared = new Map([[newPassword, passwordHash]]);
      await db.transaction().execute(async (trx) => {
        await lockUser(trx, user.id);
        await library.call(caller, { trx, prepared }, (api, headers) =>
          api.resetPassword({ body: { token, newPassword }, headers, returnHeaders: true }),
        );
        await deleteResetTokens(trx, user.id);
      });
      log.info({ userId: user.id }, 'password reset by mail; sessions ended');
      return known.remember(caller, user.email, passwordHash);
    },

    /**
     * The caller gets a new session; all others end.
     * @throws Problem wrong_password, password_too_short, password_too_weak, rate_limited
     */
    async change(
      caller: Caller,
      session: SessionRow,
      input: { current: string; next: string },
    ): Promise<string[]> {
      requireStrong(input.next, '/new_password', { name: session.userName, email: session.email });
      const path = hashPath(caller.ip, session.email, true);
      const stored = await attempts.check('change_password', { session: session.sessionId }, async () => {
        const present = await getPasswordHash(db, session.userId);
        if (present === null || !(await hasher.verify(present, input.current, path, caller.signal)))
          throw wrongPassword();
        return present;
      });
      const passwordHash = await hasher.hash(input.next, path, caller.signal);
      const prepared = new Map([[input.next, passwordHash]]);
      const verified = { stored, password: input.current };
      const { cookies } = await db.transaction().execute(async (trx) => {
        await lockUser(trx, session.userId);
        const answer = await library.call(caller, { trx, prepared, verified }, (api, headers) =>
          api.changePassword({
            body: { currentPassword: input.current, newPassword: input.next, revokeOtherSessions: true },
            headers,
            returnHeaders: true,
          }),
        );
        await deleteResetTokens(trx, session.userId);
        return answer;
      });
      log.info({ userId: session.userId }, 'password changed; other sessions ended');
      return [...cookies, ...(await known.remember(caller, session.email, passwordHash))];
    },
  };
}

/** Leaves the reset mail in the call's transaction. The link is made from BASE_URL, never from a Host header. */
export const mailResetLink =
  (deps: { config: Config; sendLater: SendLater }) =>
  async (user: LibraryUser, token: string): Promise<void> => {
    const trx: Tx | null = currentCall()?.trx ?? null;
    if (!trx) throw new Error('a password reset must be requested in a transaction');
    const known = await findUserByEmail(trx, user.email);
    if (!known || known.disabled_at) return;
    const link = `${deps.config.baseUrl}/user/api/reset-password?token=${encodeURIComponent(token)}`;
    const minutes = RESET_TOKEN_SECONDS / 60;
    // The user is waiting for it. Requests are limited per email and per address (attempts.ts).
    const mail = { to: user.email, ...passwordResetMail({ name: user.name, link, minutes }) };
    await deps.sendLater(trx, mail, { isUrgent: true });
  };
