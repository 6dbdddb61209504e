/**
 * The time of the database, which is the one clock that all processes share. Due times, expiries and IDs go by it, so a
 * server whose own clock is wrong, or is set while it runs, delays nothing and repeats nothing.
 *
 * Each process reads the database's clock every 250 ms (auth/epoch.ts) and counts on by its monotonic clock in between.
 * Until the first reading, and in commands that make none, it is this process's own clock.
 */

/** The difference to `performance.now()`, in milliseconds. */
let offset: number | null = null;

/**
 * Takes a reading of the database's clock. It was made at some moment between the two times of `performance.now()`, so the
 * offset is corrected only as far as that tells: readings that take long add no jitter.
 * @param at without fractions of a millisecond
 * @param asked before the question was sent
 * @param answered after the answer came
 */
export function observeDatabaseTime(at: Date, asked: number, answered: number): void {
  const known = offset ?? Date.now() - performance.now();
  offset = Math.min(Math.max(known, at.getTime() - answered), at.getTime() + 1 - asked);
}

/**
 * For tests: sets the clock until the next reading.
 * @param at milliseconds since 1970; null for this process's own clock
 */
export function setDatabaseTime(at: number | null): void {
  offset = at === null ? null : at - performance.now();
}

/** Milliseconds since 1970, whole. */
export const currentMs = (): number =>
  offset === null ? Date.now() : Math.floor(offset + performance.now());

export const currentTime = (): Date => new Date(currentMs());
