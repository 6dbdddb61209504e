/** Hashes that are computed one at a time and when a test says so, to count whose are computed before whose. */
import type { Derive } from '../../../src/core/auth/identity/password-hash.ts';

export interface HeldHashes {
  derive: Derive;
  /** From now on hashes wait for `next`. */
  hold(): void;
  /** Ends the oldest of those that are computed now. */
  next(): void;
  /** The passwords of hashes that began since `hold`, in order. */
  begun: string[];
}

/** @param derive computes hashes */
export function holdHashes(derive: Derive): HeldHashes {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const held: HeldHashes = {
    async derive(parameters) {
      if (isHeld) {
        held.begun.push(parameters.message.toString());
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return derive(parameters);
    },
    hold() {
      isHeld = true;
    },
    next: () => waiting.shift()?.(),
    begun: [],
  };
  return held;
}
