/**
 * Addresses of the sandbox: a bare name, as `alice`, or `fault@anything`. Letters and digits of any script, `.`, `_`, `-`
 * and `+`; lower case, NFC; spaces become `-`. What stands before the `@` decides the fault (sandbox-faults.ts); another
 * word there is part of a name, so that an email address is a contact like any other. Groups have addresses that no name
 * can be (groups/group-address.ts).
 */
import { InvalidAddressError } from '../contract/driver-error.ts';
import { isGroupAddress } from './groups/group-address.ts';

const MAX_ADDRESS = 100;
const NAME = /^[\p{L}\p{N}\p{M}._+-]+(@[\p{L}\p{N}\p{M}._+-]+)?$/u;
const NO_PART_OF_NAME = /[^\p{L}\p{N}\p{M}._+-]+/gu;

/** Lower case may leave the normal form, and the normal form of that may be no lower case: İ is one such. */
function fold(text: string): string {
  let folded = text.normalize('NFC').toLowerCase().normalize('NFC');
  for (let next = folded.toLowerCase().normalize('NFC'); next !== folded;) {
    folded = next;
    next = folded.toLowerCase().normalize('NFC');
  }
  return folded;
}

/** @throws AddressFault */
export function normaliseSandboxAddress(address: string): string {
  const name = fold(address.trim()).replaceAll(/\s+/gu, '-');
  if (isGroupAddress(name)) return name;
  if (name === '') throw new InvalidAddressError('An address of the sandbox is a name, as `alice`.');
  if (Array.from(name).length > MAX_ADDRESS)
    throw new InvalidAddressError(`An address of the sandbox has at most ${MAX_ADDRESS} characters.`);
  if (!NAME.test(name))
    throw new InvalidAddressError(
      'An address of the sandbox has letters, digits, `.`, `_`, `-` and `+`, as `alice`.',
    );
  return name;
}

/** An instance's address: its name, with a `-` for what no address has; null where nothing is left of it. */
export function addressOfName(name: string): string | null {
  const parts = Array.from(fold(name).replaceAll(NO_PART_OF_NAME, '-')).slice(0, MAX_ADDRESS).join('');
  const trimmed = parts.replaceAll(/^-+|-+$/g, '');
  return trimmed === '' ? null : trimmed;
}

/** What a scripted contact is called: `alice-miller` is Alice Miller. */
export const nameOfAddress = (address: string): string =>
  address
    .split('@')[0]!
    .split(/[._-]+/u)
    .filter((part) => part !== '')
    .map((part) => {
      const [first = '', ...rest] = part;
      return first.toUpperCase() + rest.join('');
    })
    .join(' ') || address;
