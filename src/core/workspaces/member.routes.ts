/** Operations on members. */
import { type CreatedKind, getDisabledEvents } from '../created-objects/created-kind.ts';
import {
  CREATED_OBJECTS,
  CreatedObjectList,
  CreatedObjects,
} from '../created-objects/created-object.schema.ts';
import { disabledIds } from '../created-objects/created-object.service.ts';
import { requireUuid } from '../vocabulary/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { IdParams } from '../api/id-schema.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import { Member, MemberList, RemoveMember, UpdateMember } from './member.schema.ts';
import * as service from './member.service.ts';

export interface MemberDeps {
  createdKinds: readonly CreatedKind[];
}

export const memberOperations = ({ createdKinds }: MemberDeps): Operation[] => [
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
        description: 'A page of members, most recently joined first.',
        schema: toListSchema(Member),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listMembers(unit, actor.workspaceId, getPage(query, service.isMemberCursor), {
        role: query.role,
        email: query.email,
        search: query.search,
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
      id: 'members.list_created',
      method: 'GET',
      path: '/members/{id}/created-objects',
      tag: 'Members',
      summary: 'List objects created by a member',
      description: `${CREATED_OBJECTS} Former members are supported.`,
      access: 'members:read',
      params: IdParams('user'),
      query: CreatedObjectList,
      success: { status: 200, description: 'A page of objects, newest first.', schema: CreatedObjects },
    },
    async ({ actor, params, query, unit }) => {
      const id = requireUuid('user', params.id);
      return { body: await service.listCreatedByMember(unit, createdKinds, actor, id, query) };
    },
  ),
  operation(
    {
      id: 'members.update',
      method: 'PATCH',
      path: '/members/{id}',
      tag: 'Members',
      summary: "Update a member's role",
      description:
        "You can't assign a role higher than your own. Only an owner can assign the owner role or change the role of an owner. An API key can only assign roles whose scopes it has, and no roles if it has an expiry or allowed IP addresses.",
      access: 'members:write',
      params: IdParams('user'),
      body: UpdateMember,
      bodyExample: { role: 'developer' },
      success: { status: 200, description: 'The updated member.', schema: Member },
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
        'Requires `members:write`, unless you remove yourself. Only an owner can remove an owner, and the last owner cannot be removed. Objects that the member created, including API keys, belong to the workspace and stay, unless you disable them in the same request.',
      access: 'actor',
      params: IdParams('user'),
      query: RemoveMember,
      success: { status: 204, description: 'Removed.' },
      errors: ['escalation', 'owner_required', 'last_owner'],
      events: ['member.removed', ...getDisabledEvents(createdKinds)],
      audit: 'member',
    },
    async ({ actor, params, query, unit, ifMatch }) => {
      const id = requireUuid('user', params.id);
      const disables = query.disable_created ?? false;
      const created = await service.removeMember(unit, createdKinds, actor, id, disables, ifMatch);
      return { body: undefined, auditDetails: { disabled_objects: disabledIds(created) } };
    },
  ),
];
