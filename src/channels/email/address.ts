/**
 * Email addresses. The sender chooses the header contents, so addresses that could break out of a header or form a list
 * are rejected.
 */
import { domainToASCII } from 'node:url';
import { InvalidAddressError } from '../contract/driver-error.ts';

const LONGEST = 254;
const MAX_LOCAL = 64;
const LOCAL = /^[^\s"(),:;<>@[\\\]\p{C}]+$/u;
const DOMAIN = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/;

/** Who wrote a mail that doesn't say. The domain can't exist. */
export const NOBODY = 'unknown@unknown.invalid';

/**
 * In lower case, the domain as DNS has it. The part before the @ is in the recipient's hands alone, but no provider
 * of note tells capitals apart, while people do write them.
 * @throws AddressFault
 */
export function normaliseEmail(given: string): string {
  const address = given.trim();
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0)).normalize('NFC').toLowerCase().normalize('NFC');
  const domain = domainToASCII(address.slice(at + 1)).toLowerCase();
  if (at < 1 || !LOCAL.test(local) || Buffer.byteLength(local) > MAX_LOCAL || !DOMAIN.test(domain))
    throw new InvalidAddressError('must be one email address, as ada@example.com');
  const whole = `${local}@${domain}`;
  if (Buffer.byteLength(whole) > LONGEST)
    throw new InvalidAddressError(`must be at most ${LONGEST} characters long`);
  return whole;
}

/** The same for what a mail says; null where it is none. */
export function readEmail(given: string | undefined): string | null {
  try {
    return given === undefined ? null : normaliseEmail(given);
  } catch (error) {
    if (error instanceof InvalidAddressError) return null;
    throw error;
  }
}
