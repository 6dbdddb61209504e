/** Operations on groups, except participants (participant.routes.ts). */
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { Job } from '../../../core/jobs/job.schema.ts';
import * as reading from './group-read.service.ts';
import { CreateGroup, Group, GroupInvite, GroupList, JoinGroup, UpdateGroup } from './group.schema.ts';
import * as service from './group.service.ts';

const JOB = { status: 202, description: 'The job.', schema: Job } as const;
const REFUSALS = ['instance_disconnected', 'unsupported_by_channel', 'not_in_group'] as const;
const AS_JOB =
  'Runs on the connection of the instance, in order with the messages to the group. The result of the job is `{group}`, the updated group. If the channel rejects the request or does not connect within ten minutes, the job fails with an `error`.';

export const groupOperations = (deps: service.GroupDeps): Operation[] => [
  operation(
    {
      id: 'groups.list',
      method: 'GET',
      path: '/groups',
      tag: 'Groups',
      summary: 'List and search groups',
      description:
        'Returns groups newest first, including those that your accounts have left (`membership`). A page may have fewer items than requested even if there are more (`has_more`).',
      access: 'groups:read',
      query: GroupList,
      success: { status: 200, description: 'A page of groups.', schema: toListSchema(Group) },
    },
    async ({ actor, query, unit }) => ({
      body: await reading.listGroups(unit, deps, actor.workspaceId, query),
    }),
  ),
  operation(
    {
      id: 'groups.create',
      method: 'POST',
      path: '/groups',
      tag: 'Groups',
      summary: 'Create a group',
      description:
        'Creates a group on the channel, owned by your account. The result of the job is `{group, participants: [{address, error}]}`. `error` explains why a participant could not be added or invited, which does not affect the others. Only one group is created, even if the connection is interrupted.',
      access: 'groups:write',
      body: CreateGroup,
      bodyExample: {
        instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41',
        subject: 'Spring campaign',
        participants: [{ address: 'alice' }],
      },
      success: JOB,
      errors: [
        'not_found',
        'instance_disconnected',
        'unsupported_by_channel',
        'invalid_address',
        'unprocessable',
      ],
      events: ['group.created'],
      audit: 'job',
    },
    async ({ actor, body, unit }) => ({
      body: await service.createGroup(unit, deps, actor, body),
      auditDetails: { instance: body.instance_id },
    }),
  ),
  operation(
    {
      id: 'groups.join',
      method: 'POST',
      path: '/groups/join',
      tag: 'Groups',
      summary: 'Join a group',
      description: `Joins a group with an invitation, or by its address if the group is open. ${AS_JOB}`,
      access: 'groups:write',
      body: JoinGroup,
      bodyExample: { instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41', invite: 'spring@groups.example.com' },
      success: JOB,
      errors: ['not_found', 'instance_disconnected', 'unsupported_by_channel'],
      events: ['group.joined'],
      audit: 'job',
    },
    async ({ actor, body, unit }) => ({
      body: await service.joinGroup(unit, deps, actor, body),
      auditDetails: { instance: body.instance_id },
    }),
  ),
  operation(
    {
      id: 'groups.get',
      method: 'GET',
      path: '/groups/{id}',
      tag: 'Groups',
      summary: 'Get a group',
      description: 'Returns the stored state. Changes on the channel are synced automatically.',
      access: 'groups:read',
      params: IdParams('group'),
      success: { status: 200, description: 'The group.', schema: Group },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('group', params.id);
      const { group, version } = await reading.getGroup(unit, actor.workspaceId, id);
      return { body: group, version };
    },
  ),
  operation(
    {
      id: 'groups.update',
      method: 'PATCH',
      path: '/groups/{id}',
      tag: 'Groups',
      summary: 'Update a group',
      description: `Omitted fields stay unchanged; \`metadata\` is replaced as a whole. ${AS_JOB} Metadata is stored in Fairlead and changes immediately: if you set nothing else, the job in the response has already succeeded.`,
      access: 'groups:write',
      params: IdParams('group'),
      body: UpdateGroup,
      bodyExample: { subject: 'Summer campaign', settings: { announce_only: true } },
      success: JOB,
      errors: ['not_found', ...REFUSALS, 'unprocessable'],
      events: ['group.updated'],
      audit: 'group',
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('group', params.id);
      const job = await service.updateGroup(unit, deps, actor.workspaceId, id, body, ifMatch);
      return { body: job, auditTarget: params.id, auditDetails: { job: job.id, changed: Object.keys(body) } };
    },
  ),
  asking(deps, 'leave'),
  asking(deps, 'refresh'),
  operation(
    {
      id: 'groups.invite',
      method: 'GET',
      path: '/groups/{id}/invite',
      tag: 'Groups',
      summary: 'Get a group invitation',
      description: 'Returns the `invite_url` of the group.',
      access: 'groups:read',
      params: IdParams('group'),
      success: { status: 200, description: 'The invitation.', schema: GroupInvite },
      errors: ['unsupported_by_channel', 'not_in_group', 'conflict'],
    },
    async ({ actor, params, unit }) => ({
      body: await reading.getInvite(unit, deps, actor.workspaceId, requireUuid('group', params.id)),
    }),
  ),
  asking(deps, 'revoke_invite'),
];

const ASKED = {
  leave: {
    id: 'groups.leave',
    path: '/groups/{id}/leave',
    whenFull: 'goes_on',
    summary: 'Leave a group',
    description: `The group and its chat stay readable; \`membership\` is \`left\`. ${AS_JOB}`,
    events: ['group.left'],
  },
  refresh: {
    id: 'groups.refresh',
    path: '/groups/{id}/refresh',
    summary: 'Sync a group',
    description: `Reads the group from the channel again. Rarely needed, because changes are synced automatically. ${AS_JOB}`,
    events: ['group.updated', 'group.participants_changed'],
  },
  revoke_invite: {
    id: 'groups.revoke_invite',
    path: '/groups/{id}/invite/revoke',
    whenFull: 'goes_on',
    summary: 'Revoke a group invitation',
    description: `Replaces the invitation (\`invite_url\`). The old one stops working. ${AS_JOB}`,
    events: ['group.updated'],
  },
} as const;

function asking(deps: service.GroupDeps, deed: keyof typeof ASKED): Operation {
  return operation(
    {
      ...ASKED[deed],
      method: 'POST',
      tag: 'Groups',
      access: 'groups:write',
      params: IdParams('group'),
      success: JOB,
      errors: REFUSALS,
      audit: 'group',
    },
    async ({ actor, params, unit }) => {
      const job = await service.ask(unit, deps, actor.workspaceId, requireUuid('group', params.id), deed);
      return { body: job, auditTarget: params.id, auditDetails: { job: job.id } };
    },
  );
}
