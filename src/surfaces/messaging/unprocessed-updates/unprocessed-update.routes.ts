/** Operations on unprocessed updates. */
import { type Operation, operation } from '../../../core/api/operation.ts';
import { publicId, requireUuid } from '../../../core/vocabulary/ids.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import {
  ReplayedUpdates,
  UnprocessedUpdate,
  UnprocessedUpdateList,
  UnprocessedUpdateWithRaw,
} from './unprocessed-update.schema.ts';
import * as service from './unprocessed-update.service.ts';

export interface UnprocessedUpdateDeps {
  /** Updates wait to be read again: a hint, after the commit. */
  replayQueued: () => void;
}

export const unprocessedUpdateOperations = ({ replayQueued }: UnprocessedUpdateDeps): Operation[] => [
  operation(
    {
      id: 'instances.list_unprocessed_updates',
      method: 'GET',
      path: '/instances/{id}/unprocessed-updates',
      tag: 'Instances',
      summary: 'List the unprocessed updates of an instance',
      description:
        'Returns what the channel sent and Fairlead could not process, such as kinds of content that this version does not know. The newest of an instance are kept, up to 10,000 and 64 MiB, for 30 days, or as long as messages if that is shorter. After an upgrade, replay them.',
      access: 'messages:read',
      params: IdParams('instance'),
      query: UnprocessedUpdateList,
      success: {
        status: 200,
        description: 'A page of unprocessed updates without their content, newest first.',
        schema: toListSchema(UnprocessedUpdate),
      },
    },
    async ({ actor, params, query, unit }) => ({
      body: await service.listUpdates(
        unit,
        actor.workspaceId,
        requireUuid('instance', params.id),
        getPage(query),
        { reason: query.reason, createdAfter: query.created_after, createdBefore: query.created_before },
      ),
    }),
  ),
  operation(
    {
      id: 'instances.replay_unprocessed_updates',
      method: 'POST',
      path: '/instances/{id}/unprocessed-updates/replay',
      tag: 'Instances',
      summary: 'Replay all unprocessed updates of an instance',
      description:
        'Reads all unprocessed updates of an instance again, oldest first, except those that were cut. If the instance is not connected, they are read once it is.',
      access: 'messages:write',
      params: IdParams('instance'),
      success: { status: 202, description: 'Number of updates.', schema: ReplayedUpdates },
      audit: 'instance',
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('instance', params.id);
      const count = await service.replayUpdates(unit, actor.workspaceId, id);
      unit.afterCommit(replayQueued);
      const body = { object: 'replayed_updates' as const, instance_id: publicId('instance', id), count };
      return { body, auditTarget: body.instance_id, auditDetails: { count } };
    },
  ),
  operation(
    {
      id: 'unprocessed_updates.get',
      method: 'GET',
      path: '/unprocessed-updates/{id}',
      tag: 'Instances',
      summary: 'Get an unprocessed update',
      description: 'Returns the update with its content as received.',
      access: 'messages:read',
      params: IdParams('unprocessed_update'),
      success: { status: 200, description: 'The unprocessed update.', schema: UnprocessedUpdateWithRaw },
    },
    async ({ actor, params, unit }) => ({
      body: await service.getUpdate(unit, actor.workspaceId, requireUuid('unprocessed_update', params.id)),
    }),
  ),
  operation(
    {
      id: 'unprocessed_updates.replay',
      method: 'POST',
      path: '/unprocessed-updates/{id}/replay',
      tag: 'Instances',
      summary: 'Replay an unprocessed update',
      description:
        'Reads the update again. If this succeeds, its messages and changes are applied, each once, and the update is deleted. Otherwise it is kept, and `replay_requested_at` is null again. If the instance is not connected, the update is read once it is.',
      access: 'messages:write',
      params: IdParams('unprocessed_update'),
      success: { status: 202, description: 'The update, to be read again.', schema: UnprocessedUpdate },
      errors: ['conflict'],
      audit: 'unprocessed_update',
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('unprocessed_update', params.id);
      const body = await service.replayUpdate(unit, actor.workspaceId, id);
      unit.afterCommit(replayQueued);
      return { body };
    },
  ),
];
