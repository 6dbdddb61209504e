/** Addresses on a channel of one's own: any short text. */
import { InvalidAddressError } from '../contract/driver-error.ts';

const MAX_ADDRESS = 255;

/** Normalises an address: NFC, without surrounding white space. @throws InvalidAddressError */
export function normaliseAddress(address: string): string {
  const normalised = address.normalize('NFC').trim();
  if (normalised === '' || normalised.length > MAX_ADDRESS)
    throw new InvalidAddressError(`must have 1 to ${MAX_ADDRESS} characters`);
  if (/\p{C}/u.test(normalised)) throw new InvalidAddressError('must not contain control characters');
  return normalised;
}
