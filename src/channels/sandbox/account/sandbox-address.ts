/**
 * Sandbox addresses: a name such as `alice`, or `fault@anything`. Letters and digits of any script, `.`, `_`, `-` and `+`;
 * lower case, NFC; spaces become `-`. The part before the `@` selects the fault (sandbox-faults.ts); any other word there
 * is part of the name, so an email address is an ordinary contact. Group addresses (group-address.ts) are never
 * valid names.
 */
import { InvalidAddressError } from '../../contract/driver-error.ts';
import { isGroupAddress } from './group-address.ts';

const MAX_ADDRESS = 100;
const NAME = /^[\p{L}\p{N}\p{M}._+-]+(@[\p{L}\p{N}\p{M}._+-]+)?$/u;
const NO_PART_OF_NAME = /[^\p{L}\p{N}\p{M}._+-]+/gu;

/** Repeats until stable: lower-casing can leave NFC, and normalizing can produce upper case again (for example İ). */
function fold(text: string): string {
  let folded = text.normalize('NFC').toLowerCase().normalize('NFC');
  for (let next = folded.toLowerCase().normalize('NFC'); next !== folded;) {
    folded = next;
    next = folded.toLowerCase().normalize('NFC');
  }
  return folded;
}

/** The console's tests look for it, too. */
export const INVALID_CHARACTERS = 'A sandbox address may contain letters, digits, `.`, `_`, `-` and `+`.';

/** @throws InvalidAddressError */
export function normalizeSandboxAddress(address: string): string {
  const name = fold(address.trim()).replaceAll(/\s+/gu, '-');
  if (isGroupAddress(name)) return name;
  if (name === '') throw new InvalidAddressError('A sandbox address is a name such as `alice`.');
  if (Array.from(name).length > MAX_ADDRESS)
    throw new InvalidAddressError(`A sandbox address must not exceed ${MAX_ADDRESS} characters.`);
  if (!NAME.test(name)) throw new InvalidAddressError(INVALID_CHARACTERS);
  return name;
}

/** Derives an instance's address from its name, replacing invalid characters by `-`; null if nothing is left. */
export function toAddress(name: string): string | null {
  const parts = Array.from(fold(name).replaceAll(NO_PART_OF_NAME, '-')).slice(0, MAX_ADDRESS).join('');
  const trimmed = parts.replaceAll(/^-+|-+$/g, '');
  return trimmed === '' ? null : trimmed;
}

/** Derives the name of a scripted contact: `alice-miller` becomes Alice Miller. */
export const toName = (address: string): string =>
  address
    .split('@')[0]!
    .split(/[._-]+/u)
    .filter((part) => part !== '')
    .map((part) => {
      const [first = '', ...rest] = part;
      return first.toUpperCase() + rest.join('');
    })
    .join(' ') || address;
