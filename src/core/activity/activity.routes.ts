/** Operations on the activity of a workspace. */
import { type Operation, operation } from '../api/operation.ts';
import { Activity, ActivityQuery } from './activity.schema.ts';
import { getActivity } from './activity.service.ts';
import { readStatsRange } from '../api/stats-range.ts';

export const activityOperations = (): Operation[] => [
  operation(
    {
      id: 'usage.activity',
      method: 'GET',
      path: '/usage/activity',
      tag: 'Account',
      summary: 'Get activity',
      description:
        'Returns how many messages, clicks, webhook deliveries and requests of API keys there were in each hour or day. Counts are kept for 31 days and are up to date within seconds. Counts of messages and API requests begin with the version of Fairlead that introduced this operation.',
      access: 'usage:read',
      query: ActivityQuery,
      success: { status: 200, description: 'The activity.', schema: Activity },
    },
    async ({ actor, query, unit }) => ({
      body: await getActivity(unit, actor.workspaceId, readStatsRange(query, unit.clock())),
    }),
  ),
];
