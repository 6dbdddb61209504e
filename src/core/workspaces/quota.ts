/**
 * Quotas of a workspace (WORKSPACE_LIMITS). Each surface counts its own resources under a lock of workspace and
 * resource, so that concurrent creations can't exceed the limit together.
 */
import { ConfigError } from '../../platform/config/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { ReadUnit, Unit } from '../unit/unit-of-work.ts';
import { Problem } from '../../platform/http/problem.ts';
import { ALL_NOUNS, type ListedByNouns } from '../vocabulary/nouns.ts';
import * as store from './quota.store.ts';

/**
 * The resources that a workspace's quota can limit, in the order in which usage lists them. The type checker rejects a
 * name that no noun declares, because at run time it would have no limit.
 */
export type QuotaResource = ListedByNouns<'quotas'>;
export const QUOTA_RESOURCES = ALL_NOUNS.flatMap(([, noun]) => noun.quotas ?? []) as QuotaResource[];

export type CountResource = (db: Db, workspaceId: string, now: Date) => Promise<number>;

type Counters = Partial<Record<QuotaResource, CountResource>>;

export interface ResourceUsage {
  resource: QuotaResource;
  used: number;
  limit: number | null;
}

export interface RemainingQuota {
  /** How many more the workspace may hold; Infinity without a limit. */
  count: number;
  /** Rejects the first one beyond that. */
  exceeded: Problem;
}

export interface Quotas {
  /**
   * Returns how many more of a resource may be created in this transaction. Locks the count until the transaction ends,
   * so that concurrent creations don't exceed the limit together.
   */
  remaining(unit: Unit, workspaceId: string, resource: QuotaResource): Promise<RemainingQuota>;
  /** The same without a lock: others that create at this moment may exceed the limit together. */
  peek(unit: ReadUnit, workspaceId: string, resource: QuotaResource): Promise<RemainingQuota>;
  /**
   * Locks the count as `remaining` does, for a transaction that creates one, or as many as `amount`.
   * @throws Problem quota_exceeded
   */
  assert(unit: Unit, workspaceId: string, resource: QuotaResource, amount?: number): Promise<void>;
  /**
   * Checks the quota without a lock, before expensive work; the transaction that creates the object asserts it.
   * @throws Problem quota_exceeded
   */
  check(unit: ReadUnit, workspaceId: string, resource: QuotaResource, amount?: number): Promise<void>;
  usage(unit: ReadUnit, workspaceId: string): Promise<ResourceUsage[]>;
}

const UNLIMITED: RemainingQuota = {
  count: Number.POSITIVE_INFINITY,
  exceeded: new Problem('quota_exceeded', 'The workspace has no limit.'),
};

/** Resources of the workspace itself; surfaces add theirs. */
export const WORKSPACE_COUNTERS = {
  api_keys: store.countApiKeys,
  members: store.countMembers,
  invitations: store.countPendingInvitations,
} satisfies Counters;

/**
 * @param limits resource → maximum; other resources have no limit
 * @throws ConfigError if a limit names an unknown resource
 */
export function createQuotas(
  limits: Readonly<Record<string, number>>,
  counters: Counters = WORKSPACE_COUNTERS,
): Quotas {
  const unknown = Object.keys(limits).filter((resource) => !Object.hasOwn(counters, resource));
  if (unknown.length)
    throw new ConfigError(
      `WORKSPACE_LIMITS contains unknown names: ${unknown.join(', ')}. Known names: ${Object.keys(counters).join(', ')}`,
    );
  const getLimit = (resource: QuotaResource): number | null =>
    Object.hasOwn(limits, resource) ? limits[resource]! : null;

  const readRemaining = async (
    unit: ReadUnit,
    workspaceId: string,
    resource: QuotaResource,
    limit: number,
  ): Promise<RemainingQuota> => {
    const used = await counters[resource]!(unit.db, workspaceId, unit.clock());
    const exceeded = new Problem(
      'quota_exceeded',
      `The workspace has ${used} of ${limit} ${resource.replaceAll('_', ' ')}.`,
    );
    return { count: Math.max(0, limit - used), exceeded };
  };
  const remaining: Quotas['remaining'] = async (unit, workspaceId, resource) => {
    const limit = getLimit(resource);
    if (limit === null) return UNLIMITED;
    await store.lockQuota(unit.db, workspaceId, resource);
    return readRemaining(unit, workspaceId, resource, limit);
  };
  const peek: Quotas['peek'] = async (unit, workspaceId, resource) => {
    const limit = getLimit(resource);
    return limit === null ? UNLIMITED : readRemaining(unit, workspaceId, resource, limit);
  };
  const assertRoom = ({ count, exceeded }: RemainingQuota, amount = 1): void => {
    if (count >= amount) return;
    throw amount === 1
      ? exceeded
      : new Problem('quota_exceeded', `${exceeded.message} Adding ${amount} more would exceed the limit.`);
  };

  return {
    remaining,
    peek,
    assert: async (unit, workspaceId, resource, amount) =>
      assertRoom(await remaining(unit, workspaceId, resource), amount),
    check: async (unit, workspaceId, resource, amount) =>
      assertRoom(await peek(unit, workspaceId, resource), amount),
    usage: (unit, workspaceId) =>
      Promise.all(
        (Object.entries(counters) as [QuotaResource, CountResource][]).map(async ([resource, count]) => ({
          resource,
          used: await count(unit.db, workspaceId, unit.clock()),
          limit: getLimit(resource),
        })),
      ),
  };
}
