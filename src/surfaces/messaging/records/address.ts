/** Reads addresses that callers give. */
import { InvalidAddressError } from '../../../channels/contract/driver-error.ts';
import type { Driver } from '../../../channels/contract/driver.ts';
import type { Json } from '../../../channels/contract/json.ts';
import { getIdKind } from '../../../core/vocabulary/ids.ts';

/**
 * Returns an address as its channel writes it. An ID is no address: on a channel whose addresses are plain words, a
 * message to it would be accepted and reach nobody.
 * @throws InvalidAddressError
 */
export function readAddress(driver: Driver, settings: Json, address: string): string {
  const kind = getIdKind(address.trim());
  if (kind !== null)
    throw new InvalidAddressError(`is the ID of a ${kind.replaceAll('_', ' ')}, not an address`);
  return driver.normalizeAddress(address, settings);
}
