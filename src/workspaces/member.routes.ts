/** Operations on members. */
import { requireUuid } from '../http/ids.ts';
import { type Operation, operation } from '../http/operation.ts';
import { pageOf } from '../http/pagination.ts';
import { IdParams, ListOf } from '../http/schema.ts';
import { Member, MemberList, UpdateMember } from './member.schema.ts';
import * as service from './member.service.ts';

export const memberOperations = (): Operation[] => [
  operation(
    {
      id: 'members.list',
      method: 'GET',
      path: '/members',
      tag: 'Members',
      summary: 'List members',
      access: 'members:read',
      query: MemberList,
      success: {
        status: 200,
        description: 'A page of members; who joined last comes first.',
        schema: ListOf(Member),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listMembers(unit, actor.workspaceId, pageOf(query, service.isMemberCursor), {
        role: query.role,
        email: query.email,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'members.get',
      method: 'GET',
      path: '/members/{id}',
      tag: 'Members',
      summary: 'Get a member',
      access: 'members:read',
      params: IdParams('user'),
      success: { status: 200, description: 'The member.', schema: Member },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('user', params.id);
      const { member, version } = await service.getMember(unit, actor.workspaceId, id);
      return { body: member, version };
    },
  ),
  operation(
    {
      id: 'members.update',
      method: 'PATCH',
      path: '/members/{id}',
      tag: 'Members',
      summary: "Change a member's role",
      description:
        'Nobody gives a role above their own, and only an owner makes or changes an owner. An API key gives only roles whose scopes it holds all, and none while it has an expiry or allowed addresses.',
      access: 'members:write',
      params: IdParams('user'),
      body: UpdateMember,
      bodyExample: { role: 'developer' },
      success: { status: 200, description: 'The member as it is now.', schema: Member },
      errors: ['escalation', 'owner_required', 'last_owner'],
      events: ['member.updated'],
      audit: 'member',
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('user', params.id);
      const { member, version } = await service.updateMember(unit, actor, id, body.role, ifMatch);
      return { body: member, version, auditDetails: { role: member.role } };
    },
  ),
  operation(
    {
      id: 'members.remove',
      method: 'DELETE',
      path: '/members/{id}',
      tag: 'Members',
      summary: 'Remove a member',
      description:
        'Needs `members:write`, but anybody may leave. Only an owner removes an owner, and one owner always remains. API keys that the person made stay: they belong to the workspace.',
      access: 'actor',
      params: IdParams('user'),
      success: { status: 204, description: 'Removed.' },
      errors: ['owner_required', 'last_owner'],
      events: ['member.removed'],
      audit: 'member',
    },
    async ({ actor, params, unit, ifMatch }) => {
      await service.removeMember(unit, actor, requireUuid('user', params.id), ifMatch);
      return { body: undefined };
    },
  ),
];
