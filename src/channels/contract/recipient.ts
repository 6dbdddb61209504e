/** Reads the recipient's address from the channel's response to a sent message. */
import type { ChatRef, SendResult } from './connection.ts';
import { InvalidAddressError } from './driver-error.ts';

/**
 * Returns `address` for a send result, or nothing if the response names no address or the chat's own. An invalid
 * address is ignored, because the message was accepted and must not fail.
 * @param given value from the response; untrusted
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
