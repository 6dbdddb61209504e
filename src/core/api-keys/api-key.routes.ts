/** Operations on API keys. */
import { type CreatedKind, getDisabledEvents } from '../created-objects/created-kind.ts';
import {
  CREATED_OBJECTS,
  CreatedObjectList,
  CreatedObjects,
} from '../created-objects/created-object.schema.ts';
import { disabledIds } from '../created-objects/created-object.service.ts';
import { requireUuid } from '../vocabulary/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { IdParams } from '../api/id-schema.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import {
  ApiKey,
  ApiKeyList,
  ApiKeyWithSecret,
  CreateApiKey,
  RevokeApiKey,
  RevokedApiKey,
  RotateApiKey,
  UpdateApiKey,
} from './api-key.schema.ts';
import * as service from './api-key.service.ts';
import type { EventType } from '../vocabulary/event-catalog.ts';
import type { Quotas } from '../workspaces/quota.ts';

export interface ApiKeyDeps {
  quotas: Quotas;
  createdKinds: readonly CreatedKind[];
}

export const apiKeyOperations = ({ quotas, createdKinds }: ApiKeyDeps): Operation[] => [
  operation(
    {
      id: 'api_keys.create',
      method: 'POST',
      path: '/api-keys',
      tag: 'API keys',
      summary: 'Create an API key',
      description:
        "The secret is shown only in this response. A key can't have more permissions than its creator. Requests with a key that another key created count against the rate limits of both.",
      access: 'api_keys:write',
      body: CreateApiKey,
      bodyExample: { name: 'Production site', preset: 'full' },
      success: { status: 201, description: 'The key, with its secret.', schema: ApiKeyWithSecret },
      errors: ['escalation', 'unprocessable', 'quota_exceeded'],
      events: ['api_key.created'],
      audit: 'api_key',
      secrets: ['secret'],
    },
    async ({ actor, body, unit }) => {
      await quotas.assert(unit, actor.workspaceId, 'api_keys');
      const { key, secret, version } = await service.createApiKey(unit, actor, body);
      const auditDetails = { name: key.name, scopes: key.scopes };
      return { body: { ...key, secret }, version, created: true, auditDetails };
    },
  ),
  operation(
    {
      id: 'api_keys.list',
      method: 'GET',
      path: '/api-keys',
      tag: 'API keys',
      summary: 'List API keys',
      access: 'api_keys:read',
      query: ApiKeyList,
      success: { status: 200, description: 'A page of keys, newest first.', schema: toListSchema(ApiKey) },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listApiKeys(unit, actor.workspaceId, getPage(query), {
        state: query.state,
        search: query.search,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'api_keys.get',
      method: 'GET',
      path: '/api-keys/{id}',
      tag: 'API keys',
      summary: 'Get an API key',
      access: 'api_keys:read',
      params: IdParams('api_key'),
      success: { status: 200, description: 'The key.', schema: ApiKey },
    },
    async ({ actor, params, unit }) => {
      const { key, version } = await service.getApiKey(
        unit,
        actor.workspaceId,
        requireUuid('api_key', params.id),
      );
      return { body: key, version };
    },
  ),
  operation(
    {
      id: 'api_keys.list_created',
      method: 'GET',
      path: '/api-keys/{id}/created-objects',
      tag: 'API keys',
      summary: 'List objects created by an API key',
      description: CREATED_OBJECTS,
      access: 'api_keys:read',
      params: IdParams('api_key'),
      query: CreatedObjectList,
      success: { status: 200, description: 'A page of objects, newest first.', schema: CreatedObjects },
    },
    async ({ actor, params, query, unit }) => {
      const id = requireUuid('api_key', params.id);
      return { body: await service.listCreatedByKey(unit, createdKinds, actor, id, query) };
    },
  ),
  operation(
    {
      id: 'api_keys.update',
      method: 'PATCH',
      path: '/api-keys/{id}',
      tag: 'API keys',
      summary: 'Update an API key',
      description: 'Omitted fields stay unchanged. Takes effect on every node within a second.',
      access: 'api_keys:write',
      params: IdParams('api_key'),
      body: UpdateApiKey,
      bodyExample: { name: 'Staging site', scopes: ['links:read'] },
      success: { status: 200, description: 'The updated key.', schema: ApiKey },
      errors: ['escalation', 'unprocessable', 'conflict'],
      events: ['api_key.updated'],
      audit: 'api_key',
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('api_key', params.id);
      const { key, version } = await service.updateApiKey(unit, actor, id, body, ifMatch);
      return { body: key, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'api_keys.rotate',
      method: 'POST',
      path: '/api-keys/{id}/rotate',
      whenFull: 'goes_on',
      tag: 'API keys',
      summary: 'Rotate an API key',
      description:
        'Creates a new secret for the key. The previous secret stays valid for `overlap_seconds` (one day by default).',
      access: 'api_keys:write',
      params: IdParams('api_key'),
      body: RotateApiKey,
      success: { status: 201, description: 'The key, with its new secret.', schema: ApiKeyWithSecret },
      errors: ['escalation', 'conflict'],
      events: ['api_key.rotated'],
      audit: 'api_key',
      secrets: ['secret'],
    },
    async ({ actor, params, body, unit }) => {
      const id = requireUuid('api_key', params.id);
      const overlap = body.overlap_seconds ?? 86_400;
      const { key, secret, version } = await service.rotateApiKey(unit, actor, id, overlap);
      return { body: { ...key, secret }, version, auditDetails: { overlap_seconds: overlap } };
    },
  ),
  operation(
    {
      id: 'api_keys.revoke',
      method: 'POST',
      path: '/api-keys/{id}/revoke',
      whenFull: 'goes_on',
      tag: 'API keys',
      summary: 'Revoke an API key',
      description:
        'Permanently revokes the key. Within one second of the response, every node rejects the key and closes its open streams. Objects that the key created belong to the workspace and stay, unless you disable them in the same request; `created_objects` lists them. Requires every scope that the key has. A key can always revoke itself.',
      access: 'api_keys:write',
      params: IdParams('api_key'),
      body: RevokeApiKey,
      success: { status: 200, description: 'The revoked key.', schema: RevokedApiKey },
      errors: ['escalation'],
      events: [...new Set<EventType>(['api_key.revoked', ...getDisabledEvents(createdKinds)])],
      audit: 'api_key',
    },
    async ({ actor, params, body, unit }) => {
      const id = requireUuid('api_key', params.id);
      const revoked = await service.revokeApiKey(unit, createdKinds, actor, id, body);
      const { key, version, createdObjects } = revoked;
      return {
        body: { ...key, created_objects: createdObjects },
        version,
        auditDetails: { disabled_objects: disabledIds(createdObjects) },
      };
    },
  ),
];
