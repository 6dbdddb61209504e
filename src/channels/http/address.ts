/** Addresses on a channel of one's own: any short text. */
import { InvalidAddressError } from '../contract/driver-error.ts';

const MAX_ADDRESS = 255;

/** Normalizes an address: NFC, without surrounding white space. @throws InvalidAddressError */
export function normalizeAddress(address: string): string {
  const normalized = address.normalize('NFC').trim();
  if (normalized === '' || normalized.length > MAX_ADDRESS)
    throw new InvalidAddressError(`must have 1 to ${MAX_ADDRESS} characters`);
  if (/\p{C}/u.test(normalized)) throw new InvalidAddressError('must not contain control characters');
  return normalized;
}
