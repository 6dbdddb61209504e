/** Work on many things, one after the other, of which one that fails keeps no other waiting, now and each time again. */
import { isConnectionError } from '../db/database.ts';

/** Maximum number of errors kept per job. */
const MAX_FAULTS = 10;

export interface Attempts {
  /** @returns undefined where it failed. @throws where the database is away, or `signal` was aborted: nothing else would do */
  make<T>(work: () => Promise<T>): Promise<T | undefined>;
  /** After the last. @throws AggregateError of the first faults, where any failed */
  end(): void;
}

export function createAttempts(signal?: AbortSignal): Attempts {
  const faults: unknown[] = [];
  let failed = 0;
  return {
    async make(work) {
      signal?.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        if (signal?.aborted || isConnectionError(error)) throw error;
        failed += 1;
        if (faults.length < MAX_FAULTS) faults.push(error);
        return undefined;
      }
    },
    end() {
      if (failed === 0) return;
      const [first] = faults;
      const why = first instanceof Error ? first.message : String(first);
      throw new AggregateError(faults, `${failed} failed, the others are done; the first: ${why}`);
    },
  };
}
