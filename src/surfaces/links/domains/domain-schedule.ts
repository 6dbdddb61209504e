/** Schedule of automatic checks of a pending domain: frequent at first, then less and less often, for seven days. */
const FIRST_MS = 60_000;
const MAX_MS = 6 * 3_600_000;
export const PENDING_MS = 7 * 24 * 3_600_000;

/** Returns the time of the next check; null after seven days. */
export function nextCheck(pendingSince: Date, now: Date): Date | null {
  const waited = now.getTime() - pendingSince.getTime();
  if (waited >= PENDING_MS) return null;
  // A quarter of the time waited so far: about forty checks in total.
  const wait = Math.min(Math.max(waited / 4, FIRST_MS), MAX_MS);
  return new Date(Math.min(now.getTime() + wait, pendingSince.getTime() + PENDING_MS));
}
