/** When the record of a pending domain is looked up again by itself: soon at first, ever more seldom, for seven days. */
const FIRST_MS = 60_000;
const MAX_MS = 6 * 3_600_000;
export const PENDING_MS = 7 * 24 * 3_600_000;

/** @returns null where the seven days are over */
export function nextCheck(pendingSince: Date, now: Date): Date | null {
  const waited = now.getTime() - pendingSince.getTime();
  if (waited >= PENDING_MS) return null;
  // A quarter of what it waited so far: some forty look-ups in all.
  const wait = Math.min(Math.max(waited / 4, FIRST_MS), MAX_MS);
  return new Date(Math.min(now.getTime() + wait, pendingSince.getTime() + PENDING_MS));
}
