/** Operations on invitations, for members and for invited people. */
import { getExample } from '../../platform/http/example.ts';
import { requireUuid } from '../vocabulary/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { IdParams } from '../api/id-schema.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import { acceptInvitation, type AcceptanceDeps, previewInvitation } from './invitation-acceptance.service.ts';
import {
  CreateInvitation,
  Invitation,
  InvitationList,
  InvitationPreview,
  InvitationToken,
} from './invitation.schema.ts';
import * as service from './invitation.service.ts';
import { Workspace } from './workspace.schema.ts';

const EXAMPLE_URL =
  'https://fairlead.example.com/user/api/invite/dGhpcyBpcyBub3QgYW4gaW52aXRhdGlvbiB0b2tlbi4';

export type InvitationRoutesDeps = service.InvitingDeps & AcceptanceDeps;

export const invitationOperations = (deps: InvitationRoutesDeps): Operation[] => [
  operation(
    {
      id: 'invitations.create',
      method: 'POST',
      path: '/invitations',
      tag: 'Invitations',
      summary: 'Invite a member',
      description:
        "The response contains the invitation link, which is shown only once. If the server can send email, the link is also emailed. The link can be used once within 7 days, by the invited email address. A new invitation to the same address replaces the previous one. The role can't be higher than your own, both now and when the invitation is accepted.",
      access: 'members:write',
      body: CreateInvitation,
      bodyExample: { email: 'grace@example.com', role: 'developer' },
      success: {
        status: 201,
        description: 'The invitation, with its link.',
        schema: Invitation,
        example: { ...(getExample(Invitation) as object), url: EXAMPLE_URL },
      },
      errors: ['escalation', 'already_member', 'quota_exceeded'],
      events: ['invitation.created', 'invitation.revoked'],
      audit: 'invitation',
      secrets: ['url'],
    },
    async ({ actor, body, unit }) => {
      const invitation = await service.createInvitation(deps, unit, actor, body);
      const { email, role } = invitation;
      return { body: invitation, created: true, auditDetails: { email, role } };
    },
  ),
  operation(
    {
      id: 'invitations.list',
      method: 'GET',
      path: '/invitations',
      tag: 'Invitations',
      summary: 'List invitations',
      access: 'members:read',
      query: InvitationList,
      success: {
        status: 200,
        description: 'A page of invitations, newest first.',
        schema: toListSchema(Invitation),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listInvitations(unit, actor.workspaceId, getPage(query), {
        state: query.state,
        email: query.email,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'invitations.get',
      method: 'GET',
      path: '/invitations/{id}',
      tag: 'Invitations',
      summary: 'Get an invitation',
      access: 'members:read',
      params: IdParams('invitation'),
      success: { status: 200, description: 'The invitation, without its link.', schema: Invitation },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('invitation', params.id);
      return { body: await service.getInvitation(unit, actor.workspaceId, id) };
    },
  ),
  operation(
    {
      id: 'invitations.revoke',
      method: 'POST',
      path: '/invitations/{id}/revoke',
      whenFull: 'goes_on',
      tag: 'Invitations',
      summary: 'Revoke an invitation',
      description: 'Its link stops working immediately. Revoking again has no effect.',
      access: 'members:write',
      params: IdParams('invitation'),
      success: { status: 200, description: 'The revoked invitation.', schema: Invitation },
      errors: ['conflict'],
      events: ['invitation.revoked'],
      audit: 'invitation',
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('invitation', params.id);
      const invitation = await service.revokeInvitation(unit, actor, id);
      return { body: invitation, auditDetails: { email: invitation.email } };
    },
  ),
  operation(
    {
      id: 'invitations.lookup',
      method: 'POST',
      path: '/invitations/lookup',
      whenFull: 'goes_on',
      tag: 'Invitations',
      summary: 'Preview an invitation',
      description:
        'Returns the invitation for a token. The token is sent in the body to keep it out of logs.',
      access: 'public',
      body: InvitationToken,
      success: { status: 200, description: 'The invitation preview.', schema: InvitationPreview },
      errors: ['invitation_invalid', 'rate_limited'],
      transaction: 'none',
    },
    async ({ body, ip, unit }) => ({ body: await previewInvitation(deps, unit, ip, body.token) }),
  ),
  operation(
    {
      id: 'invitations.accept',
      method: 'POST',
      path: '/invitations/accept',
      tag: 'Invitations',
      summary: 'Accept an invitation',
      description: 'You must be signed in with the invited email address.',
      access: 'user',
      body: InvitationToken,
      success: { status: 200, description: 'The workspace that you joined.', schema: Workspace },
      errors: ['invitation_invalid', 'already_member', 'quota_exceeded'],
      events: ['invitation.accepted', 'member.added'],
      audit: 'invitation',
    },
    async ({ actor, body, ip, unit }) => {
      const accepted = await acceptInvitation(deps, unit, actor, ip, body.token);
      return {
        body: accepted.workspace,
        version: accepted.version,
        auditTarget: accepted.invitationId,
        auditWorkspaceId: accepted.workspaceId,
        auditDetails: { role: accepted.workspace.role },
      };
    },
  ),
];
