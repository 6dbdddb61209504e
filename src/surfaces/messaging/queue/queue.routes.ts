/** Operations on an instance's queue. */
import { publicId, requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { ClearedQueue } from '../instances/instance.schema.ts';
import { QueueEntry, QueueList } from './queue.schema.ts';
import * as service from './queue.service.ts';

export interface QueueDeps {
  /** A queue was cleared: a hint, after the commit. */
  queueCleared: () => void;
}

export const queueOperations = ({ queueCleared }: QueueDeps): Operation[] => [
  operation(
    {
      id: 'instances.list_queue',
      method: 'GET',
      path: '/instances/{id}/queue',
      tag: 'Instances',
      summary: 'List the queue of an instance',
      description:
        'Returns the pending operations of an instance in order: messages to send, and changes to sent messages. Operations of one chat run in sequence; chats are independent. Scheduled messages are queued when they are due.',
      access: 'messages:read',
      params: IdParams('instance'),
      query: QueueList,
      success: {
        status: 200,
        description: 'A page of queue entries, oldest first.',
        schema: toListSchema(QueueEntry),
      },
    },
    async ({ actor, params, query, unit }) => ({
      body: await service.viewQueue(
        unit,
        actor.workspaceId,
        requireUuid('instance', params.id),
        getPage(query, service.isPosition),
      ),
    }),
  ),
  operation(
    {
      id: 'instances.clear_queue',
      method: 'POST',
      path: '/instances/{id}/clear-queue',
      whenFull: 'goes_on',
      tag: 'Instances',
      summary: 'Clear the queue of an instance',
      description:
        'Cancels all queued messages and drops queued changes of sent messages. None of them is sent after the response; for a long queue, statuses and events follow within seconds. Messages that are being sent, or may have been sent, are not affected. Scheduled messages are kept.',
      access: 'messages:write',
      params: IdParams('instance'),
      success: { status: 200, description: 'Number of canceled messages.', schema: ClearedQueue },
      events: ['message.canceled'],
      audit: 'instance',
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('instance', params.id);
      const canceled = await service.clear(unit, actor.workspaceId, id);
      unit.afterCommit(queueCleared);
      const body = { object: 'cleared_queue' as const, instance_id: publicId('instance', id), canceled };
      return { body, auditTarget: body.instance_id, auditDetails: { canceled } };
    },
  ),
];
