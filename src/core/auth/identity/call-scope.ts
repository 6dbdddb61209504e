/**
 * What belongs to one call of the library, carried beside it (AsyncLocalStorage), because its handlers know neither
 * our transactions nor our checks: the transaction it must run in, hashes computed before that transaction began,
 * and the first fault of the database, which the library would hide.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tx } from '../../../platform/db/database.ts';

export interface CallScope {
  /** All statements of the call run here; null: each on its own. */
  trx: Tx | null;
  /** Password → its hash, computed beforehand so that no connection waits for a hash. */
  prepared: ReadonlyMap<string, string>;
  /** A stored hash that a password was found to match in this call. */
  verified: { stored: string; password: string } | null;
  /** A session that is made now counts only while the user's stored hash is still `verified.stored`. */
  bindSession: boolean;
  /** Whose turn it is when a password is hashed in this call (hash-path.ts); null for calls that hash none. */
  path: readonly string[] | null;
  /** Ends the wait for that turn; null where nobody can leave. */
  signal: AbortSignal | null;
  /** What went wrong below the library. */
  fault: Error | null;
}

const storage = new AsyncLocalStorage<CallScope>();

export const currentCall = (): CallScope | undefined => storage.getStore();

export function runInCall<T>(given: Partial<CallScope>, work: (scope: CallScope) => Promise<T>): Promise<T> {
  const scope: CallScope = {
    trx: null,
    prepared: new Map(),
    verified: null,
    bindSession: false,
    path: null,
    signal: null,
    fault: null,
    ...given,
  };
  return storage.run(scope, () => work(scope));
}
