/** Reads addresses that callers give. */
import { InvalidAddressError } from '../../../channels/contract/driver-error.ts';
import type { Driver } from '../../../channels/contract/driver.ts';
import type { Json } from '../../../channels/contract/json.ts';
import { getIdKind } from '../../../core/vocabulary/ids.ts';

/**
 * Returns the canonical form of an address. IDs are rejected: a channel with free-form addresses would accept the
 * message, but nobody would receive it.
 * @throws InvalidAddressError
 */
export function readAddress(driver: Driver, settings: Json, address: string): string {
  const kind = getIdKind(address.trim());
  if (kind !== null)
    throw new InvalidAddressError(`is the ID of a ${kind.replaceAll('_', ' ')}, not an address`);
  return driver.normalizeAddress(address, settings);
}
