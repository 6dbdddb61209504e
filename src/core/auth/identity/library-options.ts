/** How better-auth is set up: our tables, our hashes, our cookies; nothing that sends or asks anything outside. */
import type { BetterAuthOptions } from 'better-auth';
import type { Config } from '../../../platform/config/config.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { currentCall } from './call-scope.ts';
import type { PasswordHasher } from './password-hash.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from './password-policy.ts';
import { cookieSecret, cookiesAreSecure, COOKIE_PATH, COOKIE_PREFIX, hashToken } from '../session-cookie.ts';

const DAY = 24 * 3600;
export const SESSION_SECONDS = 7 * DAY;
/** A session in use is prolonged at most this often. */
export const PROLONG_AFTER_SECONDS = DAY;
export const RESET_TOKEN_SECONDS = 3600;
/** Carries the address that Fastify found: the library sees no header of the client but Cookie and User-Agent. */
export const IP_HEADER = 'x-fairlead-client-ip';

export interface LibraryUser {
  id: string;
  name: string;
  email: string;
  createdAt: Date;
}

export interface LibraryDeps {
  config: Config;
  secrets: SecretBox;
  hasher: PasswordHasher;
  log: Pick<Log, 'error'>;
  /** Called when a known user asks for a reset, within the call's transaction. */
  onResetToken(user: LibraryUser, token: string): Promise<void>;
}

/** The stored form of a reset token. */
export const resetIdentifier = (token: string): string => hashToken(`reset-password:${token}`);

/** Returns the queue path of the current call's password hash, and the signal that ends the wait. */
const currentTurn = (): [path: readonly string[], signal: AbortSignal | undefined] => {
  const scope = currentCall();
  return [scope?.path ?? ['library'], scope?.signal ?? undefined];
};

const prepared = (password: string): string | undefined => currentCall()?.prepared.get(password);

/** The library answers success where this fails; the call must not. */
async function sendResetToken(deps: LibraryDeps, user: LibraryUser, token: string): Promise<void> {
  try {
    await deps.onResetToken(user, token);
  } catch (error) {
    const scope = currentCall();
    if (scope) scope.fault ??= error as Error;
    throw error;
  }
}

/** Caches verified passwords, so that a call that verifies one twice computes one hash. */
async function verifyPassword(hasher: PasswordHasher, stored: string, password: string): Promise<boolean> {
  const scope = currentCall();
  if (scope?.verified?.stored === stored && scope.verified.password === password) return true;
  const matches = await hasher.verify(stored, password, ...currentTurn());
  if (matches && scope) scope.verified = { stored, password };
  return matches;
}

export function libraryOptions(deps: LibraryDeps) {
  const { config, secrets, hasher, log } = deps;
  return {
    appName: 'Fairlead',
    baseURL: config.baseUrl,
    basePath: '/api/auth',
    // Passed as a list; otherwise an environment variable could replace it.
    secrets: [{ version: 1, value: cookieSecret(secrets) }],
    telemetry: { enabled: false },
    logger: {
      level: 'error',
      log: (_level, message, ...details) =>
        log.error({ details: details.map(String) }, `sign-in: ${message}`),
    },
    user: {
      modelName: 'users',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    session: {
      modelName: 'sessions',
      fields: {
        userId: 'user_id',
        token: 'token_hash',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      expiresIn: SESSION_SECONDS,
      updateAge: PROLONG_AFTER_SECONDS,
      cookieCache: { enabled: false },
    },
    account: {
      modelName: 'accounts',
      fields: {
        userId: 'user_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    verification: {
      modelName: 'verifications',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
      storeIdentifier: { hash: async (identifier) => hashToken(identifier) },
      disableCleanup: true,
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: MIN_PASSWORD,
      maxPasswordLength: MAX_PASSWORD,
      resetPasswordTokenExpiresIn: RESET_TOKEN_SECONDS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: ({ user, token }) => sendResetToken(deps, user, token),
      password: {
        hash: async (password) => prepared(password) ?? hasher.hash(password, ...currentTurn()),
        verify: ({ hash, password }) => verifyPassword(hasher, hash, password),
      },
    },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: cookiesAreSecure(config),
      defaultCookieAttributes: {
        httpOnly: true,
        // No page of another site leads into the API.
        sameSite: 'strict',
        path: COOKIE_PATH,
        secure: cookiesAreSecure(config),
      },
      ipAddress: { ipAddressHeaders: [IP_HEADER], ipv6Subnet: 128 },
      database: { generateId: newUuid, validateSchema: false },
    },
  } satisfies Omit<BetterAuthOptions, 'database'>;
}
