/** Operations on requests received by inspectors. */
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import { requireUuid } from '../vocabulary/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { IdParams } from '../api/id-schema.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import {
  InspectorRequest,
  InspectorRequestList,
  InspectorRequestParams,
  InspectorRequestSummary,
} from './inspector-request.schema.ts';
import * as service from './inspector-request.service.ts';

const isNumber = (key: string): boolean => /^\d{15}$/.test(key);

export const inspectorRequestOperations = ({ secrets }: { secrets: SecretBox }): Operation[] => [
  operation(
    {
      id: 'inspector_requests.list',
      method: 'GET',
      path: '/inspectors/{id}/requests',
      tag: 'Webhooks',
      summary: 'List requests to an inspector',
      description:
        'Returns the last 200 requests of the last 7 days, up to 16 MiB in total, without query, headers and body. To follow requests live, poll every second with `after` set to the highest `number` that you have, or with `If-None-Match`.',
      access: 'webhooks:read',
      params: IdParams('inspector'),
      query: InspectorRequestList,
      success: {
        status: 200,
        description: 'A page of requests, newest first.',
        schema: toListSchema(InspectorRequestSummary),
      },
    },
    async ({ actor, params, query, unit }) => ({
      body: await service.listRequests(
        unit,
        actor.workspaceId,
        requireUuid('inspector', params.id),
        getPage(query, isNumber),
        {
          after: query.after,
          source: query.source,
          createdAfter: query.created_after,
          createdBefore: query.created_before,
        },
      ),
    }),
  ),
  operation(
    {
      id: 'inspector_requests.get',
      method: 'GET',
      path: '/inspectors/{id}/requests/{request_id}',
      tag: 'Webhooks',
      summary: 'Get an inspector request',
      description:
        'Includes query, headers and body. Cookies, API keys of this server and headers of an authenticating proxy are never recorded. If a browser navigated to the URL, no headers are recorded.',
      access: 'webhooks:read',
      params: InspectorRequestParams,
      success: { status: 200, description: 'The request.', schema: InspectorRequest },
    },
    async ({ actor, params, unit }) => ({
      body: await service.getRequest(
        secrets,
        unit,
        actor.workspaceId,
        requireUuid('inspector', params.id),
        requireUuid('inspector_request', params.request_id),
        actor.scopes,
      ),
    }),
  ),
  operation(
    {
      id: 'inspector_requests.clear',
      method: 'DELETE',
      path: '/inspectors/{id}/requests',
      tag: 'Webhooks',
      summary: "Delete an inspector's requests",
      description: 'Deletes all requests. The numbers of later requests continue from the last one.',
      access: 'webhooks:write',
      params: IdParams('inspector'),
      success: { status: 204, description: 'Deleted.' },
      audit: 'inspector',
    },
    async ({ actor, params, unit }) => {
      await service.clearRequests(unit, actor.workspaceId, requireUuid('inspector', params.id));
      return { body: undefined };
    },
  ),
];
