/** Operations on usage. */
import { type Operation, operation } from '../api/operation.ts';
import type { Quotas } from './quota.ts';
import { Usage } from './usage.schema.ts';
import { getUsage } from './usage.service.ts';

export const usageOperations = ({ quotas }: { quotas: Quotas }): Operation[] => [
  operation(
    {
      id: 'usage.get',
      method: 'GET',
      path: '/usage',
      tag: 'Account',
      summary: 'Get usage and limits',
      description:
        'Returns the resources of the workspace with their limits, and the model calls of this month.',
      access: 'usage:read',
      success: { status: 200, description: 'Usage and limits.', schema: Usage },
    },
    async ({ actor, unit }) => ({ body: await getUsage(quotas, unit, actor.workspaceId) }),
  ),
];
