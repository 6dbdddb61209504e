/** Stops the clock that rates are measured by, so that they are reached however slow the machine is. */
import { vi } from 'vitest';

/** Runs a function while `performance.now()` stands still: buckets in memory get no tokens back. Timers go on. */
export async function withStillClock<T>(work: () => Promise<T>): Promise<T> {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}
