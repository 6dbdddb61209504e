/** Operations on instances, except for their connection (desired-state.routes.ts). */
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import type { Json } from '../../../channels/contract/json.ts';
import { CreateInstance, Instance, InstanceList, UpdateInstance } from './instance.schema.ts';
import * as service from './instance.service.ts';
import { assertAsTheChannelTakes, requireDriver } from './instance-input.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';

export interface InstanceDeps extends service.InstanceServiceDeps, service.HostsDeps {
  quotas: Quotas;
}

export const instanceOperations = (deps: InstanceDeps): Operation[] => [
  operation(
    {
      id: 'instances.create',
      method: 'POST',
      path: '/instances',
      tag: 'Instances',
      summary: 'Create an instance',
      description:
        'Creates an instance for an account on a channel. `GET /channels/{channel}` returns the schemas of `settings` and `credentials`. To connect the instance, use `POST /instances/{id}/connect`.',
      access: 'instances:write',
      body: CreateInstance,
      bodyExample: { name: 'Support', channel: 'sandbox', settings: {}, credentials: {} },
      success: { status: 201, description: 'The instance.', schema: Instance },
      errors: ['conflict', 'unprocessable', 'address_not_allowed', 'quota_exceeded'],
      events: ['instance.created'],
      audit: 'instance',
    },
    async ({ body: { channel, settings = {}, credentials = {} } }) => {
      const driver = requireDriver(deps.drivers, channel);
      assertAsTheChannelTakes(driver, { settings, credentials });
      await deps.assertEndpointsAllowed(driver, settings as Json);
    },
    async ({ actor, body, unit }) => {
      await deps.quotas.assert(unit, actor.workspaceId, 'instances');
      const { instance, version } = await service.createInstance(unit, deps, actor, body);
      const auditDetails = { name: instance.name, channel: instance.channel };
      return { body: instance, version, created: true, auditDetails };
    },
  ),
  operation(
    {
      id: 'instances.list',
      method: 'GET',
      path: '/instances',
      tag: 'Instances',
      summary: 'List instances',
      access: 'instances:read',
      query: InstanceList,
      success: {
        status: 200,
        description: 'A page of instances, newest first.',
        schema: toListSchema(Instance),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listInstances(unit, deps.drivers, actor.workspaceId, getPage(query), {
        channel: query.channel,
        states: query.state?.split(','),
        search: query.search,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'instances.get',
      method: 'GET',
      path: '/instances/{id}',
      tag: 'Instances',
      summary: 'Get an instance',
      access: 'instances:read',
      params: IdParams('instance'),
      success: { status: 200, description: 'The instance.', schema: Instance },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('instance', params.id);
      const { instance, version } = await service.getInstance(unit, deps.drivers, actor.workspaceId, id);
      return { body: instance, version };
    },
  ),
  operation(
    {
      id: 'instances.update',
      method: 'PATCH',
      path: '/instances/{id}',
      tag: 'Instances',
      summary: 'Update an instance',
      description:
        'Omitted fields stay unchanged; `settings` and `credentials` are each replaced as a whole. Changing a setting that determines where credentials are sent (`host_settings` of the channel) requires the credentials again. An open connection is reopened with the changes.',
      access: 'instances:write',
      params: IdParams('instance'),
      body: UpdateInstance,
      bodyExample: { queue_ttl_seconds: 3600 },
      success: { status: 200, description: 'The updated instance.', schema: Instance },
      errors: ['conflict', 'unprocessable', 'address_not_allowed'],
      events: ['instance.updated', 'instance.state_changed'],
      audit: 'instance',
    },
    async ({ actor, params, body, unit }) => {
      if (body.settings === undefined) return;
      const id = requireUuid('instance', params.id);
      await service.assertHostsAllowed(unit, deps, actor.workspaceId, id, body);
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('instance', params.id);
      const { instance, version } = await service.updateInstance(unit, deps, actor, id, body, ifMatch);
      return { body: instance, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'instances.delete',
      method: 'DELETE',
      path: '/instances/{id}',
      tag: 'Instances',
      summary: 'Delete an instance',
      description:
        "Closes the connection immediately; queued messages are not sent. Messages and chats are deleted after the response, which can take a while; contacts and files are kept. This does not end the account's session at the channel; to end it, log out first.",
      access: 'instances:write',
      params: IdParams('instance'),
      success: { status: 204, description: 'Deleted.' },
      events: ['instance.deleted'],
      audit: 'instance',
    },
    async ({ actor, params, unit, ifMatch }) => {
      const id = requireUuid('instance', params.id);
      await service.deleteInstance(unit, deps, actor.workspaceId, id, ifMatch);
      return { body: undefined };
    },
  ),
];
