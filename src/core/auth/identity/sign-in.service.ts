/** Signing in and out, and the sessions of a user. */
import type { Database } from '../../../platform/db/database.ts';
import { publicId, toUuid } from '../../vocabulary/ids.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Attempts } from './attempts.ts';
import { hashPath } from './hash-path.ts';
import type { SignInInput } from './identity.schema.ts';
import type { KnownDevices } from './known-devices.ts';
import type { Caller, Library, LibraryAnswer } from './library.ts';
import { type LibraryUser, PROLONG_AFTER_SECONDS, SESSION_SECONDS } from './library-options.ts';
import {
  endSessionFor,
  endSessions,
  findSession,
  type FoundSession,
  listSessions,
} from './sessions.system-store.ts';
import { renameUser, type UserRow } from './users.system-store.ts';

export interface Current {
  session: FoundSession;
  cookies: string[];
}

export function createSignIn(deps: {
  db: Database;
  library: Library;
  attempts: Attempts;
  known: KnownDevices;
  readToken: (cookieHeader: string | undefined) => string | null;
}) {
  const { db, library, attempts, known, readToken } = deps;

  /** @throws Problem not_signed_in */
  const requireSession = async (caller: Caller): Promise<FoundSession> => {
    const token = readToken(caller.cookie);
    const session = token === null ? null : await findSession(db, token);
    if (!session) throw new Problem('not_signed_in', 'You are not signed in, or the session has ended.');
    return session;
  };

  return {
    requireSession,

    /**
     * The response and its duration don't reveal whether the user exists. An existing session of the browser ends.
     * @throws Problem invalid_credentials, user_disabled (only if the password is correct), rate_limited
     */
    async signIn(caller: Caller, input: SignInInput): Promise<LibraryAnswer<{ user: LibraryUser }>> {
      const { email, password, remember_me = true } = input;
      const body = { email, password, rememberMe: remember_me };
      const { subject, passwordHash } = await known.recognize(caller, email);
      const path = hashPath(caller.ip, email, Boolean(subject.device) || subject.isKnownAddress === true);
      const { response, cookies } = await attempts.check('sign_in', subject, () =>
        library.call(caller, { bindSession: true, path }, (api, headers) =>
          api.signInEmail({ body, headers, returnHeaders: true }),
        ),
      );
      const before = readToken(caller.cookie);
      if (before !== null) await endSessionFor(db, before);
      return { response, cookies: [...cookies, ...(await known.remember(caller, email, passwordHash))] };
    },

    /** Ends the session that the caller has, if any. @returns cookies that forget it. */
    async signOut(caller: Caller): Promise<string[]> {
      const { cookies } = await library.call(caller, {}, (api, headers) =>
        api.signOut({ headers, returnHeaders: true }),
      );
      return cookies;
    },

    /** The caller's session, or null. One in use is prolonged, at most once a day. */
    async current(caller: Caller): Promise<Current | null> {
      const token = readToken(caller.cookie);
      const session = token === null ? null : await findSession(db, token);
      if (!session) return null;
      const left = session.expiresAt.getTime() - Date.now();
      if (left > (SESSION_SECONDS - PROLONG_AFTER_SECONDS) * 1000) return { session, cookies: [] };
      const { response, cookies } = await library.call(caller, {}, (api, headers) =>
        api.getSession({ headers, returnHeaders: true }),
      );
      return response && { session: { ...session, expiresAt: response.session.expiresAt }, cookies };
    },

    async sessions(caller: Caller) {
      const { userId, sessionId } = await requireSession(caller);
      const rows = await listSessions(db, userId);
      return rows.map((row) => ({ ...row, current: row.id === sessionId }));
    },

    /** @throws Problem not_found for a session that is not the caller's */
    async revokeSession(caller: Caller, id: string): Promise<number> {
      const { userId } = await requireSession(caller);
      const only = toUuid('session', id);
      const revoked = only === null ? 0 : await endSessions(db, userId, { only });
      if (revoked === 0) throw new Problem('not_found', 'The session does not exist.');
      return revoked;
    },

    async revokeOtherSessions(caller: Caller): Promise<number> {
      const { userId, sessionId } = await requireSession(caller);
      return endSessions(db, userId, { but: sessionId });
    },

    async rename(caller: Caller, name: string): Promise<UserRow> {
      const { userId } = await requireSession(caller);
      return renameUser(db, userId, name.trim());
    },
  };
}

/** A user as /api/auth shows it. */
export const presentUser = (user: { id: string; name: string; email: string; createdAt: Date }) => ({
  id: publicId('user', user.id),
  object: 'user' as const,
  name: user.name,
  email: user.email,
  created_at: user.createdAt.toISOString(),
});
