/** Faults that an address requests, such as `fail@anything`. docs/sandbox.md describes each. */
const FAULTS = [
  'fail',
  'slow',
  'never',
  'drop',
  'unknown',
  'busy',
  'limit',
  'silent',
  'bounce',
  'deaf',
  'logout',
] as const;
export type Fault = (typeof FAULTS)[number];

export const SLOW_MS = 3_000;
/** How long `busy@` and `limit@` reject messages. */
export const HELD_MS: Partial<Record<Fault, number>> = { busy: 2_000, limit: 5_000 };
/** Faults after which the recipient never reacts. */
const MUTE: readonly Fault[] = ['never', 'silent'];
export const isMute = (fault: Fault | null): boolean => fault !== null && MUTE.includes(fault);

/** Returns the fault that a normalized address requests, or null. */
export function findFault(address: string): Fault | null {
  const at = address.indexOf('@');
  const word = at < 0 ? '' : address.slice(0, at);
  return FAULTS.find((fault) => fault === word) ?? null;
}
