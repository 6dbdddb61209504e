/**
 * Faults that somebody asks for by an address: `fail@anything`. docs/sandbox.md tells users; what is not said here goes as
 * with any other contact.
 */
export const FAULTS = {
  fail: 'refused for good: `failed` with `recipient_unknown`',
  slow: 'acknowledged after three seconds',
  never: 'taken, but never acknowledged',
  drop: 'taken; then the connection drops, before the acknowledgement',
  unknown: 'taken, but the call ends without saying so',
  busy: 'refused for two seconds, then taken',
  limit: 'the account is limited for five seconds; then taken',
  silent: 'taken and acknowledged, but never delivered',
  bounce: 'taken and acknowledged; then it comes back as undeliverable',
  deaf: 'taken; the connection stays up, but hears nothing any more',
  logout: 'taken; then the account is logged out',
} as const;
export type Fault = keyof typeof FAULTS;

export const SLOW_MS = 3_000;
/** How long `busy@` and `limit@` refuse. */
export const HELD_MS: Partial<Record<Fault, number>> = { busy: 2_000, limit: 5_000 };
/** Of these nothing is heard afterwards. */
const MUTE: readonly Fault[] = ['never', 'silent'];
export const isMute = (fault: Fault | null): boolean => fault !== null && MUTE.includes(fault);

/** @param address normalised */
export function findFault(address: string): Fault | null {
  const at = address.indexOf('@');
  const word = at < 0 ? '' : address.slice(0, at);
  return Object.hasOwn(FAULTS, word) ? (word as Fault) : null;
}
