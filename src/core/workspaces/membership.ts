/** Adds members and changes roles. Emits the same events whether the console or an operator does it. */
import { raiseEpoch } from '../auth/epoch.ts';
import type { Role } from '../vocabulary/scopes.ts';
import type { Unit } from '../unit/unit-of-work.ts';
import { changedFields } from '../unit/event-writer.ts';
import { publicId } from '../vocabulary/ids.ts';
import type { MemberObject } from './member.schema.ts';
import * as store from './member.store.ts';
import { findPeople, type Person } from './person.system-store.ts';

/** Returns the member as the API shows it; without name and email if the user no longer exists. */
export const presentMember = (row: store.MemberRow, person: Person | undefined): MemberObject => ({
  id: publicId('user', row.user_id),
  object: 'member',
  name: person?.name ?? null,
  email: person?.email ?? null,
  role: row.role as Role,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** Adds a member and emits the event. The workspace must be locked, or new. */
export async function addMember(unit: Unit, workspaceId: string, userId: string, role: Role): Promise<void> {
  const row = await store.insertMember(unit.db, workspaceId, userId, role, unit.clock());
  const object = presentMember(row, (await findPeople(unit.db, [userId])).get(userId));
  await unit.events.write(unit, { workspaceId, type: 'member.added', resourceId: object.id, object });
}

/**
 * Changes a member's role, emits the event, and invalidates caches on all nodes. @param row locked, with its workspace
 */
export async function changeRole(unit: Unit, row: store.MemberRow, role: Role): Promise<store.MemberRow> {
  const updated = await store.updateRole(unit.db, row.workspace_id, row.user_id, role, unit.clock());
  const person = (await findPeople(unit.db, [row.user_id])).get(row.user_id);
  const [before, after] = [presentMember(row, person), presentMember(updated, person)];
  await unit.events.write(unit, {
    workspaceId: row.workspace_id,
    type: 'member.updated',
    resourceId: after.id,
    object: after,
    previous: changedFields(before, after),
  });
  await raiseEpoch(unit);
  return updated;
}
