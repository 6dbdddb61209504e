/** Who clicked, for counting people without knowing them: nothing of it can be led back once the salt is forgotten. */
import { hash } from 'node:crypto';

/**
 * 64 bits of SHA-256 over the salt, the address and the agent, as the signed number that the database keeps.
 * @param salt of the UTC day, as hexadecimal text: always of the same length
 * @param userAgent what counts of it: `shortAgent`
 */
export function visitorHash(salt: string, address: string, userAgent: string): bigint {
  // No header and no address can hold a NUL, so two visitors never make the same text.
  return hash('sha256', `${salt}\0${address}\0${userAgent}`, 'buffer').readBigInt64BE(0);
}
