/** Operations on the request log. */
import { requireUuid } from '../vocabulary/ids.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { IdParams } from '../api/id-schema.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import { type Operation, operation } from '../api/operation.ts';
import { RequestUsage, RequestUsageQuery } from './request-usage.schema.ts';
import { getRequestUsage } from './request-usage.service.ts';
import { ApiRequest, ApiRequestList } from './request.schema.ts';
import * as service from './request.service.ts';

const KEPT =
  'Requests are kept for 7 days and appear within about a second. Bodies, query strings and credentials are never kept.';

export const requestOperations = (): Operation[] => [
  operation(
    {
      id: 'requests.list',
      method: 'GET',
      path: '/requests',
      tag: 'Account',
      summary: 'List API requests',
      description: `Returns the API requests of the workspace, by API keys and by people in the console. ${KEPT} A page can hold fewer requests than \`limit\` while \`has_more\` is true: continue with \`next_cursor\`.`,
      access: 'audit:read',
      query: ApiRequestList,
      success: {
        status: 200,
        description: 'A page of requests, newest first.',
        schema: toListSchema(ApiRequest),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listRequests(unit, actor.workspaceId, getPage(query), query),
    }),
  ),
  operation(
    {
      id: 'requests.get',
      method: 'GET',
      path: '/requests/{id}',
      tag: 'Account',
      summary: 'Get an API request',
      description: `Returns one API request by the ID that its response has in the header \`Fairlead-Request-Id\`, and in \`request_id\` of an error. ${KEPT}`,
      access: 'audit:read',
      params: IdParams('request'),
      success: { status: 200, description: 'The request.', schema: ApiRequest },
      errors: ['not_found'],
    },
    async ({ actor, params, unit }) => ({
      body: await service.getRequest(unit, actor.workspaceId, requireUuid('request', params.id)),
    }),
  ),
  operation(
    {
      id: 'usage.requests',
      method: 'GET',
      path: '/usage/requests',
      tag: 'Account',
      summary: 'Get API request counts',
      description:
        'Returns how many API requests there were over time, or by operation, class of status, or API key and person. Counts are kept for 31 days and are up to date within about a second.',
      access: 'usage:read',
      query: RequestUsageQuery,
      success: { status: 200, description: 'The counts.', schema: RequestUsage },
    },
    async ({ actor, query, unit }) => ({ body: await getRequestUsage(unit, actor.workspaceId, query) }),
  ),
];
