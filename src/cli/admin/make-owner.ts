/**
 * Makes a user an owner of a workspace, for example if its only owner has left or can no longer sign in. The event, the
 * audit log entry (by the operator, who is not a user), and the epoch are in the same transaction.
 */
import type { UserRow } from '../../core/auth/identity/users.system-store.ts';
import { raiseEpoch } from '../../core/auth/epoch.ts';
import type { Role } from '../../core/vocabulary/scopes.ts';
import type { Database } from '../../platform/db/database.ts';
import { createUnits } from '../../core/unit/unit-of-work.ts';
import { createEventWriter } from '../../core/unit/event-writer.ts';
import { publicId, toUuid } from '../../core/vocabulary/ids.ts';
import { insertEntry } from '../../core/workspaces/audit-log.store.ts';
import * as members from '../../core/workspaces/member.store.ts';
import { addMember, changeRole } from '../../core/workspaces/membership.ts';
import { lockWorkspace } from '../../core/workspaces/workspace.store.ts';
import { AdminError } from '../../ops/command/connect.ts';
import { findWorkspace } from './workspaces.system-store.ts';

/** Running servers see epoch and events at their next look. */
const getUnits = (db: Database) =>
  createUnits({
    db,
    events: createEventWriter(() => undefined),
    jobs: {
      enqueue: () => {
        throw new Error('nothing here leaves a job');
      },
    },
  });

export interface MadeOwner {
  slug: string;
  /** The role before; null: no member. */
  before: Role | null;
}

/**
 * @param workspace slug, or public ID
 * @throws AdminError where there is no such workspace, or the user is disabled
 */
export async function makeOwner(db: Database, user: UserRow, workspace: string): Promise<MadeOwner> {
  const uuid = toUuid('workspace', workspace);
  const workspaceId = await findWorkspace(db, uuid === null ? { slug: workspace } : { id: uuid });
  const none = () => new AdminError(`There is no workspace ${workspace}. See fairlead admin list-workspaces`);
  if (workspaceId === null) throw none();
  if (user.disabled_at)
    throw new AdminError(`${user.email} is disabled. First run: fairlead admin enable-user ${user.email}`);
  return getUnits(db).write(async (unit) => {
    const locked = await lockWorkspace(unit.db, workspaceId);
    if (!locked) throw none();
    const row = await members.lockMember(unit.db, workspaceId, user.id);
    const before = (row?.role ?? null) as Role | null;
    if (before === 'owner') return { slug: locked.slug, before };
    if (row) await changeRole(unit, row, 'owner');
    else {
      await addMember(unit, workspaceId, user.id, 'owner');
      await raiseEpoch(unit);
    }
    await insertEntry(unit.db, {
      workspace_id: workspaceId,
      id: unit.newUuid(),
      action: 'admin.make_owner',
      actor_type: 'operator',
      actor_id: null,
      actor_name: null,
      target_type: 'member',
      target_id: publicId('user', user.id),
      target_name: null,
      changes: null,
      ip: null,
      request_id: null,
      details: { role: 'owner', previous_role: before },
      created_at: unit.clock(),
    });
    return { slug: locked.slug, before };
  });
}
