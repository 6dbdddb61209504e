/** The operation on the activity of an instance. */
import { type Operation, operation } from '../../../core/api/operation.ts';
import { readStatsRange } from '../../../core/api/stats-range.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { InstanceActivity, InstanceActivityQuery } from './instance-activity.schema.ts';
import { getInstanceActivity } from './instance-activity.service.ts';

export const instanceActivityOperations = (): Operation[] => [
  operation(
    {
      id: 'instances.activity',
      method: 'GET',
      path: '/instances/{id}/activity',
      tag: 'Instances',
      summary: 'Get the activity of an instance',
      description:
        'Returns how many messages the instance received, sent and failed to send in each hour or day, and the error codes of the failures. Counts are kept for 31 days and are up to date within seconds. They begin with the version of Fairlead that introduced this operation.',
      access: 'instances:read',
      params: IdParams('instance'),
      query: InstanceActivityQuery,
      success: { status: 200, description: 'The activity of the instance.', schema: InstanceActivity },
    },
    async ({ actor, params, query, unit }) => ({
      body: await getInstanceActivity(
        unit,
        actor.workspaceId,
        requireUuid('instance', params.id),
        readStatsRange(query, unit.clock()),
      ),
    }),
  ),
];
