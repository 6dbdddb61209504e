/** Joining a workspace: by making it, or by an invitation. */
import type { Role } from '../auth/scopes.ts';
import type { Unit } from '../db/unit.ts';
import { publicId } from '../http/ids.ts';
import type { MemberObject } from './member.schema.ts';
import * as store from './member.store.ts';
import { findPeople, type Person } from './person.system-store.ts';

/** The row as the API shows it; without name and address where the person is no user any more. */
export const presentMember = (row: store.MemberRow, person: Person | undefined): MemberObject => ({
  id: publicId('user', row.user_id),
  object: 'member',
  name: person?.name ?? null,
  email: person?.email ?? null,
  role: row.role as Role,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** Makes a person a member, and tells of it. The workspace must be locked, or new. */
export async function addMember(unit: Unit, workspaceId: string, userId: string, role: Role): Promise<void> {
  const row = await store.insertMember(unit.db, workspaceId, userId, role, unit.clock());
  const object = presentMember(row, (await findPeople(unit.db, [userId])).get(userId));
  await unit.events.write(unit, { workspaceId, type: 'member.added', resourceId: object.id, object });
}
