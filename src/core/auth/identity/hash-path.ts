/** Keys for fair queueing of password hashes (password-hash.ts). */
import { callerPath } from '../../../platform/http/caller-address.ts';

/**
 * Returns the queue path of a sign-in, sign-up or password change. Devices and addresses known for the email
 * (known-devices.ts) get every second turn, regardless of the number of strangers; not every turn, because anyone who
 * signed in once is known. Then addresses take turns, then emails.
 */
export const hashPath = (ip: string, email: string, isKnown: boolean): readonly string[] => [
  isKnown ? 'known' : 'unknown',
  ...callerPath(ip),
  email.toLowerCase(),
];
