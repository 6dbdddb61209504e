/** Waiting for what happens in other programs. */
import { setTimeout as delay } from 'node:timers/promises';

export type Until = (what: string, holds: () => boolean | Promise<boolean>) => Promise<void>;

/**
 * Asks again and again whether something holds.
 * @param limits milliseconds: until it has taken too long, and between two questions
 * @returns what waits, and throws an Error that says what took too long
 */
export const untilWithin =
  ({ withinMs, everyMs }: { withinMs: number; everyMs: number }): Until =>
  async (what, holds) => {
    const deadline = performance.now() + withinMs;
    while (!(await holds())) {
      if (performance.now() > deadline) throw new Error(`it took too long: ${what}`);
      await delay(everyMs);
    }
  };
