/** Lists publishing endpoints and rules that an API key or member created. */
import { sql } from 'kysely';
import type { CreatedKind } from '../../core/created-objects/created-kind.ts';
import { disableEndpoint } from './publishing-endpoints/endpoint-update.service.ts';
import { disableRule } from './rules/rule.service.ts';

const enabledByName = { name: sql<string>`name`, isEnabled: sql<boolean>`enabled` };

export const createdEndpoints = (baseUrl: string): CreatedKind => ({
  type: 'publishing_endpoint',
  scopes: { read: 'publishing:read', write: 'publishing:write' },
  table: 'publishing_endpoints',
  ...enabledByName,
  disabledEvent: 'publishing_endpoint.updated',
  disable: (unit, workspaceId, id) => disableEndpoint(unit, { baseUrl }, workspaceId, id),
});

export const createdRules: CreatedKind = {
  type: 'rule',
  scopes: { read: 'rules:read', write: 'rules:write' },
  table: 'rules',
  ...enabledByName,
  disabledEvent: 'rule.updated',
  disable: disableRule,
};
