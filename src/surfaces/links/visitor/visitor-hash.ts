/** Hashes visitors, to count people without identifying them: hashes cannot be reversed once the salt is deleted. */
import { hash } from 'node:crypto';

/**
 * Returns 64 bits of SHA-256 over salt, address and user agent, as the signed number that the database stores.
 * @param salt of the UTC day, as hexadecimal text of constant length
 * @param userAgent truncated by `shortAgent`
 */
export function visitorHash(salt: string, address: string, userAgent: string): bigint {
  // Headers and addresses cannot contain NUL, so different visitors never produce the same text.
  return hash('sha256', `${salt}\0${address}\0${userAgent}`, 'buffer').readBigInt64BE(0);
}
