/**
 * The context of one call of the library, in AsyncLocalStorage because the library's handlers know neither our
 * transactions nor our checks: its transaction, hashes computed before that transaction began, and the first database
 * error, which the library would hide.
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
  /** Keys for fair queueing of this call's password hashes (hash-path.ts); null for calls without any. */
  path: readonly string[] | null;
  /** Ends the wait in that queue; null if the caller can't leave. */
  signal: AbortSignal | null;
  /** The error below the library. */
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
