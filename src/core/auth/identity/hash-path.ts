/** Whose turn it is when passwords are hashed (password-hash.ts). */
import { callerPath } from '../../../platform/http/caller-address.ts';

/**
 * Returns the path of somebody who signs in, signs up or changes a password. Devices and addresses that are known for
 * the email (known-devices.ts) have every second turn, however many strangers there are; not every turn, because anybody
 * who signed in once is known. Then addresses take turns, then emails.
 */
export const hashPath = (ip: string, email: string, isKnown: boolean): readonly string[] => [
  isKnown ? 'known' : 'unknown',
  ...callerPath(ip),
  email.toLowerCase(),
];
