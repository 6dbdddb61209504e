/**
 * Addresses: phone numbers in international format (`+16505551234`), business-scoped user IDs (`US.1349…`, of a parent
 * business `US.ENT.1181…`) and IDs of groups. WhatsApp writes numbers without the plus sign.
 */
import { InvalidAddressError } from '../contract/driver-error.ts';

/** E.164 has at most 15 digits. */
const NUMBER = /^\+?\d{5,15}$/;
/** Common separators between digits. */
const SEPARATORS = /[\s().\-/]/g;
/** Base64 of `capi_group:` and more. */
const GROUP_ID = /^Y2FwaV9ncm91cD[A-Za-z0-9_=-]{4,180}$/;
const USER_ID = /^[a-z]{2}(?:\.ent)?\.[a-z0-9]{1,128}$/i;
const PREFIX = /^[a-z]{2}\.(?:ent\.)?/i;
const MAX_GIVEN = 250;

export const isGroupId = (address: string): boolean => GROUP_ID.test(address);

export const isUserId = (address: string): boolean => USER_ID.test(address);

/** Whether it is a user ID for the business itself, rather than for its parent. */
export const isOwnUserId = (address: string): boolean => isUserId(address) && !/^..\.ent\./i.test(address);

/** @throws InvalidAddressError */
export function normalizeAddress(given: string): string {
  const text = given.trim();
  if (text.length <= MAX_GIVEN) {
    if (isGroupId(text)) return text;
    if (isUserId(text)) return toUserId(text);
    const number = text.replaceAll(SEPARATORS, '');
    if (NUMBER.test(number)) return `+${number.replace('+', '')}`;
  }
  throw new InvalidAddressError(
    'must be a phone number with country code, such as +16505551234, or a user ID, such as US.13491208655302741918',
  );
}

/** Returns the address of a number as WhatsApp writes it; null if it is not a number. */
export function readNumber(given: string | null): string | null {
  const number = given?.replaceAll(SEPARATORS, '') ?? '';
  return NUMBER.test(number) ? `+${number.replace('+', '')}` : null;
}

/** Country and `ENT` are in capitals; the rest is Meta's. */
const toUserId = (given: string): string => given.replace(PREFIX, (prefix) => prefix.toUpperCase());

/** Returns the address of a person as WhatsApp names one: by number or by user ID; null if it is neither. */
export const readPersonAddress = (given: string | null): string | null =>
  given !== null && isUserId(given) ? toUserId(given) : readNumber(given);

/** Returns a person as lists in requests name one. */
export const toUser = (address: string): { [name: string]: string } =>
  isUserId(address) ? { user_id: address } : { user: toRecipient(address) };

/** Returns an address as WhatsApp writes it. */
export const toRecipient = (address: string): string => address.replace(/^\+/, '');
