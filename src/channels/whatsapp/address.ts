/**
 * Addresses: phone numbers in international format (`+16505551234`), and IDs of groups. WhatsApp writes numbers without
 * the plus sign.
 */
import { InvalidAddressError } from '../contract/driver-error.ts';

/** E.164 has at most 15 digits. */
const NUMBER = /^\+?\d{5,15}$/;
/** What people write between digits. */
const SEPARATORS = /[\s().\-/]/g;
/** Base64 of `capi_group:` and more. */
const GROUP_ID = /^Y2FwaV9ncm91cD[A-Za-z0-9_=-]{4,180}$/;
const MAX_GIVEN = 250;

export const isGroupId = (address: string): boolean => GROUP_ID.test(address);

/** @throws InvalidAddressError */
export function normaliseAddress(given: string): string {
  const text = given.trim();
  if (text.length <= MAX_GIVEN) {
    if (isGroupId(text)) return text;
    const number = text.replaceAll(SEPARATORS, '');
    if (NUMBER.test(number)) return `+${number.replace('+', '')}`;
  }
  throw new InvalidAddressError('must be a phone number with country code, such as +16505551234');
}

/** Returns the address of a number as WhatsApp writes it; null if it is none. */
export function readNumber(given: string | null): string | null {
  const number = given?.replaceAll(SEPARATORS, '') ?? '';
  return NUMBER.test(number) ? `+${number.replace('+', '')}` : null;
}

/** Returns an address as WhatsApp writes it. */
export const toRecipient = (address: string): string => address.replace(/^\+/, '');
