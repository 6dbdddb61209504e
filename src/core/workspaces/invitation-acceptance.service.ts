/**
 * Shows and accepts invitations for the holder of their link. An invitation is valid once, for 7 days, for the invited
 * address only, and while its creator could still create it: demoting, removing or disabling an inviter, or revoking,
 * expiring or reducing a key, ends their open invitations.
 */
import type { SessionActor, UserActor } from '../auth/actor.ts';
import type { FailureLimiter } from '../auth/failure-limiter.ts';
import type { Role } from '../vocabulary/scopes.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { publicId } from '../vocabulary/ids.ts';
import type { WithVersion } from '../../platform/http/etag.ts';
import { Problem } from '../../platform/http/problem.ts';
import { foldEmail } from './email.ts';
import type { InvitationPreviewObject } from './invitation.schema.ts';
import { presentInvitation, getState } from './invitation.service.ts';
import * as store from './invitation.store.ts';
import { findInvitationByToken } from './invitation.system-store.ts';
import { hashInviteToken } from './invite-token.ts';
import { getMember } from './member.store.ts';
import { addMember } from './membership.ts';
import { findPeople } from './person.system-store.ts';
import { getInviterPolicy, whyMayNotGive } from './role-policy.ts';
import type { Quotas } from './quota.ts';
import { presentWorkspace } from './workspace.service.ts';
import { getWorkspace, lockWorkspace, type WorkspaceRow } from './workspace.store.ts';
import type { WorkspaceObject } from './workspace.schema.ts';

export interface AcceptanceDeps {
  /** Tokens that lead nowhere, counted by address. */
  failures: FailureLimiter;
  quotas: Quotas;
}

const unusable = (detail: string): Problem => new Problem('invitation_invalid', detail);

const WHY_CLOSED = {
  accepted: 'This invitation was used already.',
  revoked: 'This invitation was taken back, or replaced by a newer one.',
  expired: 'This invitation has expired.',
} as const;

/**
 * Counts invalid tokens per address, so that tokens can't be guessed. A valid token is not delayed by failures of
 * others with the same address.
 * @throws Problem rate_limited
 */
async function countingFailures<T>(failures: FailureLimiter, ip: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem && error.code === 'invitation_invalid') {
      failures.check(ip);
      failures.count(ip);
    }
    throw error;
  }
}

/**
 * Finds the invitation of a token, while it can be accepted.
 * @throws Problem invitation_invalid
 */
async function findOpen(
  unit: ReadUnit,
  token: string,
  read: {
    workspace: (workspaceId: string) => ReturnType<typeof getWorkspace>;
    invitation: (workspaceId: string, id: string) => ReturnType<typeof store.getInvitation>;
  },
): Promise<{ row: store.InvitationRow; workspace: WorkspaceRow }> {
  const found = await findInvitationByToken(unit.db, hashInviteToken(token));
  const workspace = found && (await read.workspace(found.workspace_id));
  const row = workspace && (await read.invitation(workspace.id, found.invitation_id));
  if (!row) throw unusable('There is no such invitation. Is the link whole?');
  const state = getState(row, unit.clock());
  if (state !== 'pending') throw unusable(WHY_CLOSED[state]);
  const inviter = { userId: row.invited_by, keyId: row.invited_by_key };
  const power = await getInviterPolicy(unit, workspace.id, inviter);
  if (!power || whyMayNotGive(power, row.role as Role) !== null)
    throw unusable('Whoever made this invitation may not give that role any more. Ask for a new one.');
  return { row, workspace };
}

/** @throws Problem invitation_invalid, rate_limited */
export function previewInvitation(
  { failures }: AcceptanceDeps,
  unit: ReadUnit,
  ip: string,
  token: string,
): Promise<InvitationPreviewObject> {
  return countingFailures(failures, ip, async () => {
    const { row, workspace } = await findOpen(unit, token, {
      workspace: (workspaceId) => getWorkspace(unit.db, workspaceId),
      invitation: (workspaceId, id) => store.getInvitation(unit.db, workspaceId, id),
    });
    const inviter = row.invited_by && (await findPeople(unit.db, [row.invited_by])).get(row.invited_by);
    return {
      object: 'invitation_preview',
      workspace_name: workspace.name,
      email: row.email,
      role: row.role as Role,
      invited_by_name: inviter ? inviter.name : null,
      expires_at: row.expires_at.toISOString(),
    };
  });
}

export interface Accepted extends WithVersion<{ workspace: WorkspaceObject }> {
  workspaceId: string;
  invitationId: string;
}

/**
 * Adds the person as a member. Of two concurrent calls the second waits for the workspace's lock and finds the
 * invitation used.
 * @throws Problem invitation_invalid, already_member, quota_exceeded, rate_limited
 */
export function acceptInvitation(
  { failures, quotas }: AcceptanceDeps,
  unit: Unit,
  person: UserActor | SessionActor,
  ip: string,
  token: string,
): Promise<Accepted> {
  return countingFailures(failures, ip, async () => {
    const { row, workspace } = await findOpen(unit, token, {
      workspace: (workspaceId) => lockWorkspace(unit.db, workspaceId),
      invitation: (workspaceId, id) => store.lockInvitation(unit.db, workspaceId, id),
    });
    if (foldEmail(person.email) !== row.email)
      throw unusable(`This invitation is for ${row.email}; you are signed in as ${person.email}.`);
    if (await getMember(unit.db, workspace.id, person.userId))
      throw new Problem('already_member', 'You are already a member of this workspace.');
    await quotas.assert(unit, workspace.id, 'members');

    const now = unit.clock();
    const change = { state: 'accepted', accepted_by: person.userId } as const;
    const closed = await store.closeInvitation(unit.db, workspace.id, row.id, change, now);
    const object = presentInvitation(closed, now);
    await unit.events.write(unit, {
      workspaceId: workspace.id,
      type: 'invitation.accepted',
      resourceId: object.id,
      object,
    });
    await addMember(unit, workspace.id, person.userId, row.role as Role);
    return {
      workspace: presentWorkspace(workspace, row.role as Role),
      version: workspace.version,
      workspaceId: workspace.id,
      invitationId: publicId('invitation', row.id),
    };
  });
}
