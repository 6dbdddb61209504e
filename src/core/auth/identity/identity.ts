/**
 * Identity: sign-up, sign-in, sessions, passwords. Workspaces, members, roles and keys are elsewhere and refer to
 * identity only by user ID. A second factor, passkeys or OIDC would be further routes that call the library.
 */
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../../platform/config/config.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { SendLater } from '../../../platform/mail/mail-job.ts';
import type { Sessions } from '../guard.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { type AttemptKind, type Bounds, createAttempts } from './attempts.ts';
import { registerIdentity } from './identity.routes.ts';
import { createKnownDevices } from './known-devices.ts';
import { createLibrary } from './library.ts';
import type { PasswordHasher } from './password-hash.ts';
import { createPasswords, mailResetLink } from './password.service.ts';
import { clearEarlierCookies, createSessionCookieReader } from '../session-cookie.ts';
import { deleteExpired, findSession } from './sessions.system-store.ts';
import { createSignIn } from './sign-in.service.ts';
import { createSignUp } from './sign-up.service.ts';

export interface IdentityDeps {
  config: Config;
  db: Database;
  secrets: SecretBox;
  mail: { enabled: boolean; sendLater: SendLater };
  log: Pick<Log, 'info' | 'error'> & { warn(message: string): void };
  hasher: PasswordHasher;
  /** Other bounds on guessing than attempts.ts has. */
  bounds?: Record<AttemptKind, Bounds>;
}

export interface Identity {
  /** Mounts /api/auth. */
  register(app: FastifyInstance): void;
  /** For the guard. */
  sessions: Sessions;
  /** At each start, once the schema is there: shows the setup token in the log where one is needed. */
  announceSetupToken(): Promise<void>;
  /**
   * Deletes expired rows; called periodically.
   * @returns the number of rows deleted
   */
  deleteExpired(): Promise<number>;
}

export function createIdentity({ config, db, secrets, mail, log, hasher, bounds }: IdentityDeps): Identity {
  const attempts = createAttempts(db, bounds);
  const readToken = createSessionCookieReader(config, secrets);
  const library = createLibrary(db, {
    config,
    secrets,
    hasher,
    log,
    onResetToken: mailResetLink({ config, sendLater: mail.sendLater }),
  });
  const known = createKnownDevices(config, db, secrets);
  const signUp = createSignUp({
    config,
    db,
    library,
    attempts,
    known,
    hasher,
    mailEnabled: mail.enabled,
    log,
  });
  const signIn = createSignIn({ db, library, attempts, known, readToken });
  const passwords = createPasswords({ db, library, attempts, known, hasher, mailEnabled: mail.enabled, log });
  return {
    register(app) {
      clearEarlierCookies(app);
      registerIdentity(app, { config, signUp, signIn, passwords });
    },
    sessions: { readToken, find: (token, via = db) => findSession(via, token) },
    announceSetupToken: () => signUp.announceSetupToken(),
    deleteExpired: () => deleteExpired(db),
  };
}
