/** Caches the persons that workspaces count toward in limits within a process, for a minute each. */
import { LRUCache } from 'lru-cache';
import type { Db } from '../../platform/db/database.ts';
import { findFirstOwner } from './first-owner.system-store.ts';

const MAX_KNOWN = 10_000;
const KNOWN_MS = 60_000;

/** Returns the first owner of a workspace; the workspace itself if it has none, or the lookup fails. */
export type GetPerson = (workspaceId: string) => Promise<string>;

export function createPersonLookup(db: Db): GetPerson {
  const persons = new LRUCache<string, string>({
    max: MAX_KNOWN,
    ttl: KNOWN_MS,
    fetchMethod: (workspaceId) => findFirstOwner(db, workspaceId),
  });
  return async (workspaceId) => {
    try {
      return (await persons.fetch(workspaceId)) ?? workspaceId;
    } catch {
      return workspaceId;
    }
  };
}
