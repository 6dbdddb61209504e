/**
 * Creates and revokes invitations. Accepting is in invitation-acceptance.service.ts.
 *
 * An address has at most one pending invitation: a new one replaces the previous one and invalidates its link.
 */
import type { WorkspaceActor } from '../auth/actor.ts';
import type { Role } from '../vocabulary/scopes.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import { notFound, Problem } from '../../platform/http/problem.ts';
import type { SendLater } from '../../platform/mail/mail-job.ts';
import { invitationMail } from '../../platform/mail/templates.ts';
import { foldEmail } from './email.ts';
import type { CreateInvitationBody, InvitationObject, InvitationState } from './invitation.schema.ts';
import * as store from './invitation.store.ts';
import { generateInviteToken, hashInviteToken, invitationUrl } from './invite-token.ts';
import { getMember } from './member.store.ts';
import { findPersonByEmail } from './person.system-store.ts';
import { assertMayGive, getRolePolicy } from './role-policy.ts';
import type { Quotas } from './quota.ts';
import { lockWorkspace } from './workspace.store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const LIFETIME_MS = 7 * DAY_MS;
const MAX_A_DAY = 500;
const MAX_TO_ADDRESS_A_DAY = 10;

export interface InvitingDeps {
  /** Origin of links, without a trailing slash. */
  baseUrl: string;
  /** null where no mail server is set: then the link must be handed over. */
  sendLater: SendLater | null;
  quotas: Quotas;
}

export function getState(row: store.InvitationRow, now: Date): InvitationState {
  return row.state === 'pending' && row.expires_at <= now ? 'expired' : (row.state as InvitationState);
}

/** The row as the API shows it; never with its link. */
export function presentInvitation(row: store.InvitationRow, now: Date): InvitationObject {
  const key = row.invited_by_key === null ? null : publicId('api_key', row.invited_by_key);
  return {
    id: publicId('invitation', row.id),
    object: 'invitation',
    email: row.email,
    role: row.role as Role,
    state: getState(row, now),
    invited_by: row.invited_by === null ? key : publicId('user', row.invited_by),
    accepted_by: row.accepted_by === null ? null : publicId('user', row.accepted_by),
    url: null,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export async function listInvitations(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  { email, ...filter }: store.InvitationFilter,
): Promise<List<InvitationObject>> {
  const now = unit.clock();
  const wanted = { ...filter, email: email === undefined ? undefined : foldEmail(email) };
  const rows = await store.listInvitations(unit.db, workspaceId, page, wanted, now);
  return toList(
    rows,
    page,
    ({ id }) => id,
    (row) => presentInvitation(row, now),
  );
}

export async function getInvitation(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<InvitationObject> {
  const row = await store.getInvitation(unit.db, workspaceId, id);
  if (!row) throw notFound('invitation');
  return presentInvitation(row, unit.clock());
}

async function assertNoMember(unit: Unit, workspaceId: string, email: string): Promise<void> {
  const person = await findPersonByEmail(unit.db, email);
  if (person && (await getMember(unit.db, workspaceId, person.id)))
    throw new Problem('already_member', `${email} is already a member of the workspace.`);
}

/** Revokes a locked, pending invitation and emits the event. */
async function revoke(unit: Unit, row: store.InvitationRow): Promise<store.InvitationRow> {
  const now = unit.clock();
  const closed = await store.closeInvitation(unit.db, row.workspace_id, row.id, { state: 'revoked' }, now);
  const object = presentInvitation(closed, now);
  await unit.events.write(unit, {
    workspaceId: row.workspace_id,
    type: 'invitation.revoked',
    resourceId: object.id,
    object,
  });
  return closed;
}

/** Each may be a mail to a stranger. @throws Problem rate_limited */
async function assertFewInvitations(unit: Unit, workspaceId: string, email: string): Promise<void> {
  const since = new Date(unit.clock().getTime() - DAY_MS);
  const { all, forAddress } = await store.countSince(unit.db, workspaceId, since, email);
  if (all < MAX_A_DAY && forAddress < MAX_TO_ADDRESS_A_DAY) return;
  const what = all < MAX_A_DAY ? `${MAX_TO_ADDRESS_A_DAY} to this address` : `${MAX_A_DAY} in all`;
  throw new Problem('rate_limited', `The workspace has sent ${what} in the last 24 hours.`, {
    headers: { 'retry-after': '3600' },
  });
}

/**
 * @returns the invitation with its link, which is shown this once.
 * @throws Problem escalation, already_member, quota_exceeded, rate_limited
 */
export async function createInvitation(
  deps: InvitingDeps,
  unit: Unit,
  actor: WorkspaceActor,
  body: CreateInvitationBody,
): Promise<InvitationObject> {
  const { workspaceId } = actor;
  const email = foldEmail(body.email);
  const workspace = await lockWorkspace(unit.db, workspaceId);
  if (!workspace) throw notFound('workspace');
  assertMayGive(await getRolePolicy(unit, actor), body.role);
  await assertNoMember(unit, workspaceId, email);
  await assertFewInvitations(unit, workspaceId, email);
  const before = await store.lockPendingFor(unit.db, workspaceId, email);
  if (before) await revoke(unit, before);
  await deps.quotas.assert(unit, workspaceId, 'invitations');
  await deps.quotas.assert(unit, workspaceId, 'members');

  const now = unit.clock();
  const token = generateInviteToken();
  const fields = {
    id: unit.newUuid(),
    email,
    role: body.role,
    invited_by: actor.kind === 'session' ? actor.userId : null,
    invited_by_key: actor.kind === 'api_key' ? actor.keyId : null,
    created_at: now,
    expires_at: new Date(now.getTime() + LIFETIME_MS),
  };
  const row = await store.insertInvitation(unit.db, workspaceId, fields, hashInviteToken(token));
  const invitation = presentInvitation(row, now);
  await unit.events.write(unit, {
    workspaceId,
    type: 'invitation.created',
    resourceId: invitation.id,
    object: invitation,
  });
  const url = invitationUrl(deps.baseUrl, token);
  const mail = {
    workspaceName: workspace.name,
    inviterName: actor.kind === 'session' ? actor.name : 'An administrator',
    role: body.role,
    link: url,
    expiresAt: row.expires_at,
  };
  await deps.sendLater?.(unit.db, { to: email, ...invitationMail(mail) }, { workspaceId });
  return { ...invitation, url };
}

/** Its link stops working immediately. Revoking again changes nothing. @throws Problem not_found, conflict */
export async function revokeInvitation(
  unit: Unit,
  actor: WorkspaceActor,
  id: string,
): Promise<InvitationObject> {
  const { workspaceId } = actor;
  if (!(await lockWorkspace(unit.db, workspaceId))) throw notFound('workspace');
  const row = await store.lockInvitation(unit.db, workspaceId, id);
  if (!row) throw notFound('invitation');
  if (row.state === 'accepted')
    throw new Problem('conflict', 'The invitation was accepted. Remove the member instead.');
  return presentInvitation(row.state === 'revoked' ? row : await revoke(unit, row), unit.clock());
}
