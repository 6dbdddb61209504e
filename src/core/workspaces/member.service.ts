/** Operations on members. Changes hold the workspace's lock; at least one owner always remains. */
import type { WorkspaceActor } from '../auth/actor.ts';
import { raiseEpoch } from '../auth/epoch.ts';
import type { Role } from '../vocabulary/scopes.ts';
import type { CreatedKind } from '../created-objects/created-kind.ts';
import type { CreatedObjectEntry, CreatedObjectQuery } from '../created-objects/created-object.schema.ts';
import { endCreatedObjects, listCreatedObjects } from '../created-objects/created-object.service.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../platform/http/etag.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import { notFound, Problem } from '../../platform/http/problem.ts';
import { foldEmail } from './email.ts';
import type { MemberObject } from './member.schema.ts';
import * as store from './member.store.ts';
import { changeRole, presentMember } from './membership.ts';
import { findPeople, findPersonByEmail } from './person.system-store.ts';
import { assertMayGive, assertMayTake, getRolePolicy } from './role-policy.ts';
import { hasOtherOwner } from './role-policy.store.ts';
import { lockWorkspace } from './workspace.store.ts';

const CURSOR = /^\d{13}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a decoded cursor can be one of the list of members. */
export const isMemberCursor = (key: string): boolean => CURSOR.test(key);

const toCursor = (row: store.MemberRow): string => `${row.created_at.getTime()}.${row.user_id}`;

function readCursor(key: string): { joinedAt: Date; userId: string } {
  const [time, userId] = key.split('.') as [string, string];
  return { joinedAt: new Date(Number(time)), userId };
}

export async function listMembers(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  { email, ...filter }: Omit<store.MemberFilter, 'userId'> & { email?: string },
): Promise<List<MemberObject>> {
  const wanted = email === undefined ? undefined : await findPersonByEmail(unit.db, foldEmail(email));
  if (email !== undefined && !wanted) return toList([], page, toCursor, () => null as never);
  const rows = await store.listMembers(
    unit.db,
    workspaceId,
    { limit: page.limit, after: page.after === null ? null : readCursor(page.after) },
    { ...filter, userId: wanted?.id },
  );
  const people = await findPeople(
    unit.db,
    rows.map((row) => row.user_id),
  );
  return toList(rows, page, toCursor, (row) => presentMember(row, people.get(row.user_id)));
}

async function present(unit: ReadUnit, row: store.MemberRow): Promise<MemberObject> {
  return presentMember(row, (await findPeople(unit.db, [row.user_id])).get(row.user_id));
}

export async function getMember(
  unit: ReadUnit,
  workspaceId: string,
  userId: string,
): Promise<WithVersion<{ member: MemberObject }>> {
  const row = await store.getMember(unit.db, workspaceId, userId);
  if (!row) throw notFound('member');
  return { member: await present(unit, row), version: row.version };
}

/** @throws Problem not_found for a person who is not a member and created nothing that the actor may read */
export async function listCreatedByMember(
  unit: ReadUnit,
  createdKinds: readonly CreatedKind[],
  actor: WorkspaceActor,
  userId: string,
  query: CreatedObjectQuery,
): Promise<List<CreatedObjectEntry>> {
  const list = (only: CreatedObjectQuery) =>
    listCreatedObjects(unit, createdKinds, actor, publicId('user', userId), only);
  const isKnown =
    (await store.getMember(unit.db, actor.workspaceId, userId)) !== undefined ||
    (await list({ limit: 1 })).data.length > 0;
  if (!isKnown) throw notFound('member');
  return list(query);
}

/** Locks the workspace, then the member. @throws Problem not_found */
async function lock(unit: Unit, workspaceId: string, userId: string): Promise<store.MemberRow> {
  if (!(await lockWorkspace(unit.db, workspaceId))) throw notFound('workspace');
  const row = await store.lockMember(unit.db, workspaceId, userId);
  if (!row) throw notFound('member');
  return row;
}

async function assertOwnerRemains(unit: Unit, row: store.MemberRow): Promise<void> {
  if (row.role === 'owner' && !(await hasOtherOwner(unit.db, row.workspace_id, row.user_id)))
    throw new Problem('last_owner', 'This is the last owner. Make another member an owner first.');
}

/** @throws Problem not_found, precondition_failed, owner_required, escalation, last_owner */
export async function updateMember(
  unit: Unit,
  actor: WorkspaceActor,
  userId: string,
  role: Role,
  ifMatch: IfMatch,
): Promise<WithVersion<{ member: MemberObject }>> {
  const row = await lock(unit, actor.workspaceId, userId);
  const power = await getRolePolicy(unit, actor);
  assertMatches(ifMatch, row, 'member');
  assertMayTake(power, row.role as Role);
  assertMayGive(power, role);
  if (role !== 'owner' && role !== row.role) await assertOwnerRemains(unit, row);
  const after = role === row.role ? row : await changeRole(unit, row, role);
  return { member: await present(unit, after), version: after.version };
}

/**
 * Removes a member. Every member may leave; removing another one requires `members:write`. Objects that the person
 * created belong to the workspace and stay, unless `disablesCreated`.
 * @returns the person's objects that were enabled
 * @throws Problem insufficient_scope, not_found, precondition_failed, owner_required, last_owner
 */
export async function removeMember(
  unit: Unit,
  createdKinds: readonly CreatedKind[],
  actor: WorkspaceActor,
  userId: string,
  disablesCreated: boolean,
  ifMatch: IfMatch,
): Promise<List<CreatedObjectEntry>> {
  const leaves = actor.kind === 'session' && actor.userId === userId;
  if (!leaves && !actor.scopes.has('members:write'))
    throw new Problem('insufficient_scope', 'Removing another member requires the scope members:write.');
  const row = await lock(unit, actor.workspaceId, userId);
  assertMatches(ifMatch, row, 'member');
  if (!leaves) assertMayTake(await getRolePolicy(unit, actor), row.role as Role);
  await assertOwnerRemains(unit, row);
  const object = await present(unit, row);
  await store.deleteMember(unit.db, actor.workspaceId, userId);
  await unit.events.write(unit, {
    workspaceId: actor.workspaceId,
    type: 'member.removed',
    resourceId: object.id,
    object,
  });
  await raiseEpoch(unit);
  const ending = { workspaceId: actor.workspaceId, createdBy: object.id, reason: 'member_removed' as const };
  return endCreatedObjects(unit, createdKinds, actor, ending, disablesCreated ? 'disable' : 'keep');
}
