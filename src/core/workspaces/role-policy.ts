/**
 * Decides who may grant and revoke which role. The rules:
 *
 * - nobody grants a role above their own, and only an owner adds, changes or removes an owner;
 * - an API key grants only roles of which it has every scope, never owner;
 * - a role has no expiry and no address limit, so a key with either grants none; a key with a rate limit grants no role
 *   that can create keys without one.
 *
 * A person's rights are read from the database under the workspace's lock, not taken from the request: of two people
 * who demote each other concurrently, only one succeeds.
 */
import type { WorkspaceActor } from '../auth/actor.ts';
import { ROLES, type Role, roleAtMost, type Scope } from '../vocabulary/scopes.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { Problem } from '../../platform/http/problem.ts';
import * as store from './role-policy.store.ts';

export type RolePolicy =
  | { kind: 'role'; role: Role }
  | { kind: 'key'; scopes: ReadonlySet<string>; isBound: boolean; isLimited: boolean };

const holds = (role: Role, scope: Scope): boolean => (ROLES[role] as readonly Scope[]).includes(scope);

/**
 * Returns the current rights of an actor that was admitted with `members:write`. The workspace must be locked.
 * @throws Problem insufficient_scope if the person's role has changed and no longer has that scope
 */
export async function getRolePolicy(unit: Unit, actor: WorkspaceActor): Promise<RolePolicy> {
  if (actor.kind === 'api_key')
    return {
      kind: 'key',
      scopes: actor.scopes,
      isBound: actor.expiresAt !== null || actor.allowedIps.length > 0 || actor.allowedOrigins.size > 0,
      isLimited: actor.rateLimit !== null,
    };
  const role = await store.getRole(unit.db, actor.workspaceId, actor.userId);
  if (role === null || !holds(role, 'members:write'))
    throw new Problem(
      'insufficient_scope',
      'Your role was changed and no longer has the scope members:write.',
    );
  return { kind: 'role', role };
}

/** Returns the current rights of the inviter; null if there are none. */
export async function getInviterPolicy(
  unit: ReadUnit,
  workspaceId: string,
  { userId, keyId }: { userId: string | null; keyId: string | null },
): Promise<RolePolicy | null> {
  if (keyId !== null) {
    const key = await store.activeKey(unit.db, workspaceId, keyId, unit.clock());
    if (!key || !key.scopes.includes('members:write')) return null;
    return {
      kind: 'key',
      scopes: new Set(key.scopes),
      isBound: key.expires_at !== null || key.allowed_ips.length > 0 || key.allowed_origins.length > 0,
      isLimited: key.rate_limit_per_minute !== null,
    };
  }
  const role = userId === null ? null : await store.getRole(unit.db, workspaceId, userId);
  return role === null || !holds(role, 'members:write') ? null : { kind: 'role', role };
}

/** Why this power does not reach to giving a role, or null where it does. */
export function whyMayNotGive(power: RolePolicy, role: Role): string | null {
  if (power.kind === 'role')
    return roleAtMost(role, power.role) && (role !== 'owner' || power.role === 'owner')
      ? null
      : `Your role is ${power.role}; you can't make somebody ${role}.`;
  if (role === 'owner') return 'Only an owner makes an owner; an API key cannot.';
  const lacking = ROLES[role].filter((scope) => !power.scopes.has(scope));
  if (lacking.length) return `The key lacks scopes of the role ${role}: ${lacking.join(', ')}.`;
  if (power.isBound) return 'A role has no expiry and no allowed addresses; a key that has cannot give one.';
  if (power.isLimited && holds(role, 'api_keys:write'))
    return `A key with a rate limit cannot give the role ${role}, which makes keys without one.`;
  return null;
}

/** @throws Problem escalation */
export function assertMayGive(power: RolePolicy, role: Role): void {
  const reason = whyMayNotGive(power, role);
  if (reason !== null) throw new Problem('escalation', reason);
}

/** @throws Problem owner_required where `role` is owner and the power is not. */
export function assertMayTake(power: RolePolicy, role: Role): void {
  if (role === 'owner' && !(power.kind === 'role' && power.role === 'owner'))
    throw new Problem('owner_required', 'Only an owner can change or remove an owner.');
}
