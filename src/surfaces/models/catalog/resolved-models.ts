/**
 * Cache of the models, routes and providers that calls resolve, so that a call waits for no query.
 *
 * An entry is used for half a second, so a change by another process applies after that at the latest; a change by this one
 * applies immediately. A model that is not found is looked up by every call.
 */
import { LRUCache } from 'lru-cache';
import type { Resolved } from '../contract/model-catalog.ts';

const TRUSTED_MS = 500;
/** Older ones are read again while they are still used, so that few calls wait. */
const REFRESH_MS = 200;
const MAX_KNOWN = 10_000;

interface Known {
  workspaceId: string;
  resolved: Resolved;
  /** Start of the read. */
  readAt: number;
  isRefreshing: boolean;
}

export interface ResolvedModels {
  /** @throws any error of `read` */
  get(workspaceId: string, model: string): Promise<Resolved>;
  /** Has the next calls of a workspace read again. */
  forget(workspaceId: string): void;
}

/** @param now monotonic milliseconds; overridden in tests */
export function createResolvedModels(
  read: (workspaceId: string, model: string) => Promise<Resolved>,
  now: () => number = () => performance.now(),
): ResolvedModels {
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN });
  /** Raised when a read that is under way must not be kept. */
  let generation = 0;

  const load = async (workspaceId: string, model: string): Promise<Resolved> => {
    const readAt = now();
    const began = generation;
    const resolved = await read(workspaceId, model);
    if (began === generation)
      known.set(`${workspaceId} ${model}`, { workspaceId, resolved, readAt, isRefreshing: false });
    return resolved;
  };

  return {
    async get(workspaceId, model) {
      const found = known.get(`${workspaceId} ${model}`);
      const age = found ? now() - found.readAt : Number.POSITIVE_INFINITY;
      if (!found || age > TRUSTED_MS) return load(workspaceId, model);
      if (age > REFRESH_MS && !found.isRefreshing) {
        found.isRefreshing = true;
        // The next call reads it again, and has the error.
        void load(workspaceId, model).catch(() => known.delete(`${workspaceId} ${model}`));
      }
      return found.resolved;
    },
    forget(workspaceId) {
      generation += 1;
      for (const [key, one] of known.entries()) if (one.workspaceId === workspaceId) known.delete(key);
    },
  };
}
