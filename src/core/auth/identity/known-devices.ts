/**
 * Recognizes callers who signed in to an email before, by a cookie of the device or by their address. Strangers can't
 * use up the sign-in attempts of either (attempts.ts). Neither signs a user in.
 *
 * The cookie is `<device ID>.<HMAC-SHA256 of device ID, email and password hash>`, so it holds for one email alone and
 * nothing about it is stored. For an address, only a hash of it, the email and the password hash is stored, for the
 * lifetime of the cookie.
 *
 * Both become invalid when the password changes. Otherwise, an attacker with a former password could sign in any number
 * of times without a cookie, keep a device from each, and guess the new password with the attempts of all of them.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../../platform/config/config.ts';
import type { Database } from '../../../platform/db/database.ts';
import { callerGroup } from '../../../platform/http/caller-address.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Subject } from './attempts.ts';
import { isKnownAddress, rememberAddress } from './known-addresses.system-store.ts';
import type { Caller } from './library.ts';
import { COOKIE_PREFIX, cookiesAreSecure, cookieValue } from '../session-cookie.ts';
import { passwordHashByEmail } from './users.system-store.ts';

const KNOWN_FOR_SECONDS = 180 * 24 * 3600;
const ID_BYTES = 16;
const COOKIE = /^([\w-]{22})\.([\w-]{43})$/;

/** An email and the stored hash of its password; an empty hash if there is no such user. */
interface Account {
  email: string;
  passwordHash: string;
}

export interface KnownDevices {
  /** Returns the subject of a sign-in for attempts.ts, and the password hash that the attempt is checked against. */
  recognize(caller: Caller, email: string): Promise<{ subject: Subject; passwordHash: string }>;
  /**
   * Remembers the device and address after a sign-in to the email.
   * @param passwordHash hash of the password that was used
   * @returns values for Set-Cookie
   */
  remember(caller: Caller, email: string, passwordHash: string): Promise<string[]>;
}

export function createKnownDevices(config: Config, db: Database, secrets: SecretBox): KnownDevices {
  const isSecure = cookiesAreSecure(config);
  const name = `${isSecure ? '__Secure-' : ''}${COOKIE_PREFIX}.known_device`;
  const keys = secrets.deriveAll('known devices');

  const sign = (id: string, { email, passwordHash }: Account, key: Buffer): string =>
    createHmac('sha256', key).update(`${id} ${email.toLowerCase()} ${passwordHash}`).digest('base64url');

  const readDevice = ({ cookie }: Caller, account: Account): string | null => {
    const [, id, signature] = COOKIE.exec((cookie && cookieValue(cookie, name)) ?? '') ?? [];
    if (id === undefined || signature === undefined) return null;
    const isOurs = keys.some((key) =>
      timingSafeEqual(Buffer.from(signature), Buffer.from(sign(id, account, key))),
    );
    return isOurs ? id : null;
  };

  const keyOfAddress = ({ ip }: Caller, { email, passwordHash }: Account): Buffer =>
    hash('sha256', `${email.toLowerCase()} ${callerGroup(ip)} ${passwordHash}`, 'buffer');

  return {
    async recognize(caller, email) {
      const account = { email, passwordHash: (await passwordHashByEmail(db, email)) ?? '' };
      const device = readDevice(caller, account);
      const known = device === null && (await isKnownAddress(db, keyOfAddress(caller, account)));
      const subject = { ip: caller.ip, email, device, isKnownAddress: known };
      return { subject, passwordHash: account.passwordHash };
    },
    async remember(caller, email, passwordHash) {
      const account = { email, passwordHash };
      await rememberAddress(db, keyOfAddress(caller, account), KNOWN_FOR_SECONDS);
      // Without an Origin header a call must not bring a cookie (own-origin.ts), so a program gets none.
      if (!caller.tellsOrigin) return [];
      const id = readDevice(caller, account) ?? randomBytes(ID_BYTES).toString('base64url');
      const value = `${id}.${sign(id, account, keys[0])}`;
      const attributes = `Max-Age=${KNOWN_FOR_SECONDS}; Path=/api/auth; HttpOnly; SameSite=Strict`;
      return [`${name}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`];
    },
  };
}
