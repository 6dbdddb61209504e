/** Operations on publishing endpoints. */
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import { requireUuid, toUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { exampleId, IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { checkChange, deleteEndpoint, rotateEndpoint, updateEndpoint } from './endpoint-update.service.ts';
import {
  CreatePublishingEndpoint,
  PublishingEndpoint,
  PublishingEndpointList,
  type PublishingEndpointObject,
  PublishingEndpointWithSecret,
  RotatePublishingEndpoint,
  UpdatePublishingEndpoint,
} from './publishing-endpoint.schema.ts';
import * as service from './publishing-endpoint.service.ts';
import { onlyDisables } from '../../../core/api/storage-guard.ts';

const TAG = 'Publishing endpoints';
const SHOWN_ONCE = ['url', 'secret'] as const;

/** A URL that is not secret is shown in idempotent replays as well. */
const secretIn = ({ auth }: PublishingEndpointObject): readonly string[] =>
  auth.type === 'secret_url' ? SHOWN_ONCE : ['secret'];

function createPublishingEndpoint(deps: service.PublishingEndpointDeps): Operation {
  return operation(
    {
      id: 'publishing_endpoints.create',
      method: 'POST',
      path: '/publishing-endpoints',
      tag: TAG,
      summary: 'Create a publishing endpoint',
      description:
        'Creates a URL that accepts JSON, forms and text, and renders them into messages with your templates. A secret URL and a generated secret are shown only in this response. Also requires `messages:write`, `links:create` or `links:write` if links are shortened, and `models:invoke` if a model is asked.',
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
        description: 'The endpoint, with its URL and secret.',
        schema: PublishingEndpointWithSecret,
      },
      errors: [
        'quota_exceeded',
        'unprocessable',
        'model_not_allowed',
        'unsupported_by_channel',
        'not_in_group',
        'invalid_address',
      ],
      events: ['publishing_endpoint.created'],
      audit: 'publishing_endpoint',
      secrets: SHOWN_ONCE,
    },
    ({ actor, body }) => service.readNewEndpoint(deps, actor, body),
    async ({ actor, body, unit, prepared }) => {
      const { endpoint, version, url, secret } = await service.createEndpoint(
        unit,
        deps,
        actor,
        body,
        prepared,
      );
      return {
        body: { ...endpoint, url, secret },
        version,
        created: true,
        secrets: secretIn(endpoint),
        auditDetails: { name: endpoint.name, auth: endpoint.auth.type },
      };
    },
  );
}

function updatePublishingEndpoint(deps: service.PublishingEndpointDeps): Operation {
  return operation(
    {
      id: 'publishing_endpoints.update',
      method: 'PATCH',
      path: '/publishing-endpoints/{id}',
      whenFull: onlyDisables,
      tag: TAG,
      summary: 'Update a publishing endpoint',
      description:
        'Omitted fields keep their values; `destinations` and `schedule` are replaced as a whole. A change to what is published, where or when increments `revision`; requests received earlier are published as they were rendered. `auth` changes how signatures are verified; rotate to change secrets and URLs. Also requires `messages:write`, unless you only disable the endpoint.',
      access: 'publishing:write',
      params: IdParams('publishing_endpoint'),
      body: UpdatePublishingEndpoint,
      bodyExample: { filter: 'payload.status == "published"', rate_limit: 600 },
      success: { status: 200, description: 'The updated endpoint.', schema: PublishingEndpoint },
      errors: ['unprocessable', 'model_not_allowed', 'unsupported_by_channel', 'invalid_address'],
      events: ['publishing_endpoint.updated'],
      audit: 'publishing_endpoint',
    },
    async ({ actor, params, body, unit }) => {
      const id = requireUuid('publishing_endpoint', params.id);
      await checkChange(unit, deps, actor.workspaceId, id, body);
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('publishing_endpoint', params.id);
      const { endpoint, version } = await updateEndpoint(unit, deps, actor, id, body, ifMatch);
      return {
        body: endpoint,
        version,
        auditDetails: { changed: Object.keys(body), revision: endpoint.revision },
      };
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
        schema: toListSchema(PublishingEndpoint),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listEndpoints(unit, deps, actor.workspaceId, getPage(query), {
        enabled: query.enabled,
        instanceId:
          query.instance_id === undefined ? undefined : (toUuid('instance', query.instance_id) ?? FIRST_UUID),
        authType: query.auth_type,
        search: query.search,
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
  updatePublishingEndpoint(deps),
  operation(
    {
      id: 'publishing_endpoints.delete',
      method: 'DELETE',
      path: '/publishing-endpoints/{id}',
      tag: TAG,
      summary: 'Delete a publishing endpoint',
      description:
        'The URL stops accepting requests. Pending publications are canceled. Completed ones remain until they expire but can no longer be replayed. Samples are deleted.',
      access: 'publishing:write',
      params: IdParams('publishing_endpoint'),
      success: { status: 204, description: 'Deleted.' },
      events: ['publishing_endpoint.deleted', 'publication.canceled'],
      audit: 'publishing_endpoint',
    },
    async ({ actor, params, unit, ifMatch }) => {
      const id = requireUuid('publishing_endpoint', params.id);
      const { name } = await deleteEndpoint(unit, deps, actor.workspaceId, id, ifMatch);
      return { body: undefined, auditDetails: { name } };
    },
  ),
  operation(
    {
      id: 'publishing_endpoints.rotate',
      method: 'POST',
      path: '/publishing-endpoints/{id}/rotate',
      whenFull: 'goes_on',
      tag: TAG,
      summary: 'Rotate the secret or URL of a publishing endpoint',
      description:
        'Creates a new URL for an endpoint with a secret URL, or a new secret for an endpoint with signatures. The previous one stays valid for `overlap_seconds` (one day by default, 0 to expire it immediately), so that senders can switch without losing requests. One that is already in its overlap expires immediately.',
      access: 'publishing:write',
      params: IdParams('publishing_endpoint'),
      body: RotatePublishingEndpoint,
      bodyExample: { overlap_seconds: 3600 },
      success: {
        status: 201,
        description: 'The endpoint, with its new URL or secret.',
        schema: PublishingEndpointWithSecret,
      },
      errors: ['conflict'],
      events: ['publishing_endpoint.updated'],
      audit: 'publishing_endpoint',
      secrets: SHOWN_ONCE,
    },
    async ({ actor, params, body, unit }) => {
      const id = requireUuid('publishing_endpoint', params.id);
      const { endpoint, version, url, secret } = await rotateEndpoint(unit, deps, actor, id, body);
      return {
        body: { ...endpoint, url, secret },
        version,
        secrets: secretIn(endpoint),
        auditDetails: { overlap_seconds: body.overlap_seconds ?? null },
      };
    },
  ),
];
