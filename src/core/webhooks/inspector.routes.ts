/** Operations on inspectors. */
import { requireUuid } from '../vocabulary/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { IdParams } from '../api/id-schema.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import {
  CreatedInspector,
  CreateInspector,
  Inspector,
  InspectorList,
  UpdateInspector,
} from './inspector.schema.ts';
import * as service from './inspector.service.ts';

export const inspectorOperations = (deps: service.InspectorDeps): Operation[] => [
  operation(
    {
      id: 'inspectors.create',
      method: 'POST',
      path: '/inspectors',
      tag: 'Webhooks',
      summary: 'Create an inspector',
      description:
        'Creates a URL on this server that records requests. Use it as the `url` of a webhook, or send requests to it, to see what arrives. A workspace can have up to 20 inspectors.',
      access: 'webhooks:write',
      body: CreateInspector,
      bodyExample: { name: 'First try', answer: { status: 200 } },
      success: { status: 201, description: 'The inspector, with its URL.', schema: CreatedInspector },
      errors: ['unprocessable', 'quota_exceeded'],
      audit: 'inspector',
      secrets: ['url'],
    },
    async ({ actor, body, unit }) => {
      const { inspector, version } = await service.createInspector(deps, unit, actor, body);
      return { body: inspector, version, created: true, auditDetails: { name: inspector.name } };
    },
  ),
  operation(
    {
      id: 'inspectors.list',
      method: 'GET',
      path: '/inspectors',
      tag: 'Webhooks',
      summary: 'List inspectors',
      access: 'webhooks:read',
      showsSecrets: true,
      query: InspectorList,
      success: {
        status: 200,
        description: 'A page of inspectors, newest first.',
        schema: toListSchema(Inspector),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listInspectors(deps, unit, actor.workspaceId, getPage(query), {
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'inspectors.get',
      method: 'GET',
      path: '/inspectors/{id}',
      tag: 'Webhooks',
      summary: 'Get an inspector',
      access: 'webhooks:read',
      showsSecrets: true,
      params: IdParams('inspector'),
      success: { status: 200, description: 'The inspector.', schema: Inspector },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('inspector', params.id);
      const { inspector, version } = await service.getInspector(deps, unit, actor.workspaceId, id);
      return { body: inspector, version };
    },
  ),
  operation(
    {
      id: 'inspectors.update',
      method: 'PATCH',
      path: '/inspectors/{id}',
      tag: 'Webhooks',
      summary: 'Update an inspector',
      description:
        'Omitted fields stay unchanged, including those within `answer`. Changes apply to the next request. Use status 500 to test retries, 429 with `Retry-After` to test rate limiting, and 410 to test the automatic disabling of a webhook.',
      access: 'webhooks:write',
      showsSecrets: true,
      params: IdParams('inspector'),
      body: UpdateInspector,
      bodyExample: { answer: { status: 429, headers: { 'retry-after': '30' }, body: 'later' } },
      success: { status: 200, description: 'The updated inspector.', schema: Inspector },
      errors: ['unprocessable'],
      audit: 'inspector',
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('inspector', params.id);
      const { inspector, version } = await service.updateInspector(
        deps,
        unit,
        actor.workspaceId,
        id,
        body,
        ifMatch,
      );
      return { body: inspector, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'inspectors.delete',
      method: 'DELETE',
      path: '/inspectors/{id}',
      tag: 'Webhooks',
      summary: 'Delete an inspector',
      description: 'Deletes the inspector and its requests. Its URL returns 404 immediately.',
      access: 'webhooks:write',
      params: IdParams('inspector'),
      success: { status: 204, description: 'Deleted.' },
      audit: 'inspector',
    },
    async ({ actor, params, unit, ifMatch }) => {
      await service.deleteInspector(unit, actor.workspaceId, requireUuid('inspector', params.id), ifMatch);
      return { body: undefined };
    },
  ),
];
