/** Operations on usage. */
import { type Operation, operation } from '../api/operation.ts';
import { Usage } from './usage.schema.ts';
import { getUsage, type UsageDeps } from './usage.service.ts';

export const usageOperations = (deps: UsageDeps): Operation[] => [
  operation(
    {
      id: 'usage.get',
      method: 'GET',
      path: '/usage',
      tag: 'Account',
      summary: 'Get usage and limits',
      description:
        'Returns the number of each resource with its limit, and the model usage of the current month.',
      access: 'usage:read',
      success: { status: 200, description: 'Usage and limits.', schema: Usage },
    },
    async ({ actor, unit }) => ({ body: await getUsage(deps, unit, actor.workspaceId) }),
  ),
];
