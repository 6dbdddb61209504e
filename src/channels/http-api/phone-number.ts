/** Addresses of channels that send to telephone numbers. */
import { InvalidAddressError } from '../contract/driver-error.ts';

const NUMBER = /^\+[1-9]\d{6,14}$/;
const SHORT_CODE = /^\d{3,8}$/;
/** Names that businesses send as, instead of a number. */
const SENDER_ID = /^(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9 &._-]{0,10}$/;
/** Common separators between digits. */
const SEPARATORS = /[\s().\-/\u2010-\u2015\u00a0]/g;

/**
 * Normalizes a telephone number to E.164 (`+49301234567`). Short codes and sender IDs are kept.
 * @throws InvalidAddressError for anything else, such as a number without its country
 */
export function normalizePhoneNumber(address: string): string {
  const digits = address
    .replace(/^tel:/i, '')
    .replaceAll(SEPARATORS, '')
    .replace(/^00(?=[1-9])/, '+');
  if (NUMBER.test(digits) || SHORT_CODE.test(digits)) return digits;
  const name = address.trim();
  if (SENDER_ID.test(name)) return name;
  throw new InvalidAddressError('must be a phone number with country code, such as +49301234567');
}
