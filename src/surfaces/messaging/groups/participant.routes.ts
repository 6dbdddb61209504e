/** Operations on participants of groups. */
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { Job } from '../../../core/jobs/job.schema.ts';
import { listParticipants } from './group-read.service.ts';
import { ChangeParticipants, GroupParticipant, ParticipantList } from './group.schema.ts';
import { changeParticipants, type GroupDeps } from './group.service.ts';

export const participantOperations = (deps: GroupDeps): Operation[] => [
  operation(
    {
      id: 'groups.participants',
      method: 'GET',
      path: '/groups/{id}/participants',
      tag: 'Groups',
      summary: 'List the participants of a group',
      description:
        'Returns owners, then admins, then members, each sorted by address. Up to 5,000 participants are stored.',
      access: 'groups:read',
      params: IdParams('group'),
      query: ParticipantList,
      success: {
        status: 200,
        description: 'A page of participants.',
        schema: toListSchema(GroupParticipant),
      },
    },
    async ({ actor, params, query, unit }) => ({
      body: await listParticipants(unit, actor.workspaceId, requireUuid('group', params.id), query),
    }),
  ),
  operation(
    {
      id: 'groups.change_participants',
      method: 'POST',
      path: '/groups/{id}/participants',
      tag: 'Groups',
      summary: 'Add, remove, promote, demote, ban or unban participants',
      description:
        'Runs on the connection of the instance, in order with the messages to the group. The result of the job is `{group, participants: [{address, error}]}`, in the given order: `error` says why the channel rejected a participant, which does not affect the others. If the channel rejects everything, or does not connect within ten minutes, the job fails with an `error`. A change without effect is not an error.',
      access: 'groups:write',
      params: IdParams('group'),
      body: ChangeParticipants,
      bodyExample: { action: 'add', participants: [{ address: 'bob' }] },
      success: { status: 202, description: 'The job.', schema: Job },
      errors: [
        'not_found',
        'instance_disconnected',
        'unsupported_by_channel',
        'not_in_group',
        'invalid_address',
        'unprocessable',
      ],
      events: ['group.participants_changed'],
      audit: 'group',
    },
    async ({ actor, params, body, unit }) => {
      const id = requireUuid('group', params.id);
      const job = await changeParticipants(unit, deps, actor.workspaceId, id, body);
      const auditDetails = { job: job.id, action: body.action, count: body.participants.length };
      return { body: job, auditTarget: params.id, auditDetails };
    },
  ),
];
