/**
 * The most that a workspace may hold of something (WORKSPACE_LIMITS). Each surface says how its own is counted;
 * counting happens under a lock of workspace and resource, so that creations at once don't pass the limit together.
 */
import { ConfigError } from '../../platform/config/config.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Unit } from '../unit-of-work.ts';
import { Problem } from '../../platform/http/problem.ts';
import * as store from './quota.store.ts';

export type CountResource = (db: Queryable, workspaceId: string, now: Date) => Promise<number>;

/**
 * To be called in the transaction that creates one, before it does.
 * @param more how many are to be created; 1
 * @throws Problem quota_exceeded where the workspace would then hold more than it may.
 */
export type AssertQuota = (unit: Unit, workspaceId: string, resource: string, more?: number) => Promise<void>;

export interface ResourceUsage {
  resource: string;
  used: number;
  limit: number | null;
}

export interface Quotas {
  assert: AssertQuota;
  usage(unit: Unit, workspaceId: string): Promise<ResourceUsage[]>;
}

/** What is counted of the workspace itself; surfaces add theirs. */
export const WORKSPACE_COUNTERS: Record<string, CountResource> = {
  api_keys: store.countApiKeys,
  members: store.countMembers,
  invitations: store.countPendingInvitations,
};

/**
 * @param limits resource → most; what is not there has no limit.
 * @throws ConfigError when a limit names something that is not counted.
 */
export function createQuotas(
  limits: Record<string, number>,
  counters: Record<string, CountResource> = WORKSPACE_COUNTERS,
): Quotas {
  const unknown = Object.keys(limits).filter((resource) => !Object.hasOwn(counters, resource));
  if (unknown.length)
    throw new ConfigError(
      `WORKSPACE_LIMITS names ${unknown.join(', ')}; it can limit: ${Object.keys(counters).join(', ')}`,
    );
  const limitOf = (resource: string): number | null =>
    Object.hasOwn(limits, resource) ? limits[resource]! : null;

  return {
    async assert(unit, workspaceId, resource, more = 1) {
      const limit = limitOf(resource);
      if (limit === null) return;
      await store.lockQuota(unit.db, workspaceId, resource);
      const used = await counters[resource]!(unit.db, workspaceId, unit.clock());
      if (used + more > limit)
        throw new Problem(
          'quota_exceeded',
          `The workspace has ${used} of at most ${limit} ${resource.replaceAll('_', ' ')}.`,
        );
    },
    usage: (unit, workspaceId) =>
      Promise.all(
        Object.entries(counters).map(async ([resource, count]) => ({
          resource,
          used: await count(unit.db, workspaceId, unit.clock()),
          limit: limitOf(resource),
        })),
      ),
  };
}
