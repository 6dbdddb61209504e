/** Operations on groups; those on who is in them stand beside (participant.routes.ts). */
import { requireUuid } from '../../../platform/http/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { IdParams, toListSchema } from '../../../platform/http/schema.ts';
import { Job } from '../../../core/jobs/job.schema.ts';
import * as reading from './group-read.service.ts';
import { CreateGroup, Group, GroupInvite, GroupList, JoinGroup, UpdateGroup } from './group.schema.ts';
import * as service from './group.service.ts';

const JOB = { status: 202, description: 'The job.', schema: Job } as const;
const REFUSALS = ['instance_disconnected', 'unsupported_by_channel', 'not_in_group'] as const;
const AS_JOB =
  'It is done over the connection of the instance, in order with the messages to the group; the result of the job is `{group}`, the group as it then is. Where the channel refuses, or does not connect within ten minutes, the job has failed, and `error` says why.';

export const groupOperations = (deps: service.GroupDeps): Operation[] => [
  operation(
    {
      id: 'groups.list',
      method: 'GET',
      path: '/groups',
      tag: 'Groups',
      summary: 'List and search groups',
      description:
        'Newest first, including groups that your accounts have left (`membership`). A page may have fewer items than requested and still be followed by another (`has_more`).',
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
      summary: 'Make a group',
      description:
        'On the channel, with your account as its owner. The result of the job is `{group, participants: [{address, error}]}`: `error` says why somebody could not be added or invited, which does not fail the rest. However often the connection breaks, one group is made.',
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
      description: `By an invitation, or by the group's address where anybody may come in. ${AS_JOB}`,
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
      description: 'The stored state, which follows changes on the channel automatically.',
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
      summary: 'Change a group',
      description: `Omitted fields stay unchanged; \`metadata\` is replaced as a whole. ${AS_JOB} Metadata is stored in Fairlead and changes immediately: if nothing else is given, the job in the response has already succeeded.`,
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
      summary: 'Get the invitation to a group',
      description: 'The same as `invite_url` of the group.',
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
    summary: 'Read a group from the channel again',
    description: `Rarely needed: changes are followed by themselves. ${AS_JOB}`,
    events: ['group.updated', 'group.participants_changed'],
  },
  revoke_invite: {
    id: 'groups.revoke_invite',
    path: '/groups/{id}/invite/revoke',
    whenFull: 'goes_on',
    summary: 'Revoke the invitation to a group',
    description: `Another takes its place (\`invite_url\`); with the old one nobody comes in any more. ${AS_JOB}`,
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
