/** Operations on publishing endpoints; trying them out is in endpoint-test.routes.ts. */
import { FIRST_UUID } from '../../db/uuid-time.ts';
import { requireUuid, uuidOf } from '../../http/ids.ts';
import { type Operation, operation } from '../../http/operation.ts';
import { pageOf } from '../../http/pagination.ts';
import { exampleId, IdParams, ListOf } from '../../http/schema.ts';
import {
  CreatePublishingEndpoint,
  PublishingEndpoint,
  PublishingEndpointList,
  PublishingEndpointWithSecret,
} from './publishing-endpoint.schema.ts';
import * as service from './publishing-endpoint.service.ts';

const TAG = 'Publishing endpoints';
const SHOWN_ONCE = ['url', 'secret'] as const;

function createPublishingEndpoint(deps: service.PublishingEndpointDeps): Operation {
  /** Request → what `prepare` read. */
  const read = new WeakMap<object, Awaited<ReturnType<typeof service.readNewEndpoint>>>();
  return operation(
    {
      id: 'publishing_endpoints.create',
      method: 'POST',
      path: '/publishing-endpoints',
      tag: TAG,
      summary: 'Create a publishing endpoint',
      description:
        'An address that takes JSON, forms and text, and makes messages of them by templates of yours. A secret address, and a secret that was made for you, are shown in this answer alone. You need `messages:write` too and, where links are shortened, `links:create` or `links:write`.',
      access: 'publishing:write',
      body: CreatePublishingEndpoint,
      bodyExample: {
        name: 'Blog',
        auth: { type: 'secret_url' },
        destinations: [
          {
            instance_id: exampleId('instance'),
            to: 'alice',
            type: 'text',
            template: 'New: {{ payload.title }}',
          },
        ],
      },
      success: {
        status: 201,
        description: 'The endpoint, with its address and secret.',
        schema: PublishingEndpointWithSecret,
      },
      errors: [
        'quota_exceeded',
        'unprocessable',
        'unsupported_by_channel',
        'not_in_group',
        'invalid_address',
      ],
      events: ['publishing_endpoint.created'],
      audit: 'publishing_endpoint',
      secrets: SHOWN_ONCE,
    },
    async ({ actor, body, unit, request }) => {
      const input = read.get(request)!;
      const { endpoint, version, url, secret } = await service.createEndpoint(unit, deps, actor, body, input);
      return {
        body: { ...endpoint, url, secret },
        version,
        auditDetails: { name: endpoint.name, auth: endpoint.auth.type },
      };
    },
    async ({ actor, body, request }) => {
      read.set(request, await service.readNewEndpoint(deps, actor, body));
    },
  );
}

export const publishingEndpointOperations = (deps: service.PublishingEndpointDeps): Operation[] => [
  createPublishingEndpoint(deps),
  operation(
    {
      id: 'publishing_endpoints.list',
      method: 'GET',
      path: '/publishing-endpoints',
      tag: TAG,
      summary: 'List publishing endpoints',
      access: 'publishing:read',
      query: PublishingEndpointList,
      success: {
        status: 200,
        description: 'A page of endpoints, newest first.',
        schema: ListOf(PublishingEndpoint),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listEndpoints(unit, deps, actor.workspaceId, pageOf(query), {
        enabled: query.enabled,
        instanceId:
          query.instance_id === undefined ? undefined : (uuidOf('instance', query.instance_id) ?? FIRST_UUID),
        authType: query.auth_type,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'publishing_endpoints.get',
      method: 'GET',
      path: '/publishing-endpoints/{id}',
      tag: TAG,
      summary: 'Get a publishing endpoint',
      access: 'publishing:read',
      params: IdParams('publishing_endpoint'),
      success: { status: 200, description: 'The endpoint.', schema: PublishingEndpoint },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('publishing_endpoint', params.id);
      const { endpoint, version } = await service.getEndpoint(unit, deps, actor.workspaceId, id);
      return { body: endpoint, version };
    },
  ),
];
