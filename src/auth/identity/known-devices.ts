/**
 * Recognizes who signed in to an email before: by a cookie of the device, or by the address. Strangers can't use up the
 * sign-in attempts of either (attempts.ts). Neither signs anybody in.
 *
 * The cookie is `<device ID>.<HMAC-SHA256 of device ID and email>`, so it holds for one email alone and nothing about it
 * is stored. Of an address only a hash of it and the email is stored, for as long as the cookie lives.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import { callerGroup } from '../../http/caller-address.ts';
import type { SecretBox } from '../secret-box.ts';
import type { Subject } from './attempts.ts';
import { isKnownAddress, rememberAddress } from './known-addresses.system-store.ts';
import type { Caller } from './library.ts';
import { COOKIE_PREFIX, cookiesAreSecure, cookieValue } from './session-cookie.ts';

const KNOWN_FOR_SECONDS = 180 * 24 * 3600;
const ID_BYTES = 16;
const COOKIE = /^([\w-]{22})\.([\w-]{43})$/;

export interface KnownDevices {
  /** Returns who signs in, as attempts.ts counts them. */
  recognize(caller: Caller, email: string): Promise<Subject>;
  /** Makes device and address known for an email that was signed in to. @returns values for Set-Cookie. */
  remember(caller: Caller, email: string): Promise<string[]>;
}

export function createKnownDevices(config: Config, db: Database, secrets: SecretBox): KnownDevices {
  const isSecure = cookiesAreSecure(config);
  const name = `${isSecure ? '__Secure-' : ''}${COOKIE_PREFIX}.known_device`;
  const keys = secrets.deriveAll('known devices');

  const sign = (id: string, email: string, key: Buffer): string =>
    createHmac('sha256', key).update(`${id} ${email.toLowerCase()}`).digest('base64url');

  const readDevice = ({ cookie }: Caller, email: string): string | null => {
    const [, id, signature] = COOKIE.exec((cookie && cookieValue(cookie, name)) ?? '') ?? [];
    if (id === undefined || signature === undefined) return null;
    const isOurs = keys.some((key) =>
      timingSafeEqual(Buffer.from(signature), Buffer.from(sign(id, email, key))),
    );
    return isOurs ? id : null;
  };

  const keyOfAddress = ({ ip }: Caller, email: string): Buffer =>
    hash('sha256', `${email.toLowerCase()} ${callerGroup(ip)}`, 'buffer');

  return {
    async recognize(caller, email) {
      const device = readDevice(caller, email);
      const known = device === null && (await isKnownAddress(db, keyOfAddress(caller, email)));
      return { ip: caller.ip, email, device, isKnownAddress: known };
    },
    async remember(caller, email) {
      await rememberAddress(db, keyOfAddress(caller, email), KNOWN_FOR_SECONDS);
      // Without an Origin header a call must not bring a cookie (own-origin.ts), so a program gets none.
      if (!caller.tellsOrigin) return [];
      const id = readDevice(caller, email) ?? randomBytes(ID_BYTES).toString('base64url');
      const value = `${id}.${sign(id, email, keys[0])}`;
      const attributes = `Max-Age=${KNOWN_FOR_SECONDS}; Path=/api/auth; HttpOnly; SameSite=Strict`;
      return [`${name}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`];
    },
  };
}
