/** Reads by which address the response to a message names its recipient. */
import type { ChatRef, SendResult } from './connection.ts';
import { InvalidAddressError } from './driver-error.ts';

/**
 * Returns the `address` of a result: nothing if the response names none, or the one written to. A message that was accepted
 * must not fail for an address that cannot be read.
 * @param given of a stranger
 * @param normalize throws InvalidAddressError
 */
export function toRecipientAddress(
  { kind, address }: ChatRef,
  given: unknown,
  normalize: (given: string) => string,
): Pick<SendResult, 'address'> {
  if (kind !== 'direct' || typeof given !== 'string') return {};
  try {
    const known = normalize(given);
    return known === address ? {} : { address: known };
  } catch (error) {
    if (error instanceof InvalidAddressError) return {};
    throw error;
  }
}
