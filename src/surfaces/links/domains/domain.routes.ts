/** Operations on link domains. */
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { applyLookup, lookUpDomain } from './domain-check.ts';
import { CreateDomain, Domain, DomainList, UpdateDomain } from './domain.schema.ts';
import * as service from './domain.service.ts';
import type { ResolveTxt } from './txt-record.ts';

export interface DomainOperationDeps extends service.DomainDeps {
  resolveTxt: ResolveTxt;
}

export const domainOperations = (deps: DomainOperationDeps): Operation[] => [
  operation(
    {
      id: 'domains.create',
      method: 'POST',
      path: '/domains',
      tag: 'Domains',
      summary: 'Add a domain',
      description:
        'Point the host at this server and create the TXT record in `verification`. The record is checked automatically for seven days, first after a minute, and immediately with `POST /domains/{id}/verify`. Short links work on the domain once it is verified.',
      access: 'domains:write',
      body: CreateDomain,
      bodyExample: { host: 'links.example.com', root_url: 'https://example.com/' },
      success: { status: 201, description: 'The domain, pending verification.', schema: Domain },
      errors: ['conflict', 'unprocessable', 'quota_exceeded'],
      audit: 'domain',
    },
    async ({ actor, body, unit }) => {
      const { domain, version } = await service.createDomain(unit, deps, actor, body);
      return { body: domain, version, created: true, auditDetails: { host: domain.host } };
    },
  ),
  operation(
    {
      id: 'domains.list',
      method: 'GET',
      path: '/domains',
      tag: 'Domains',
      summary: 'List domains',
      description:
        "Lists the workspace's own domains. The default domain, the host of BASE_URL, is not included: `GET /me` returns it as `default_domain`.",
      access: 'domains:read',
      query: DomainList,
      success: { status: 200, description: 'A page of domains, newest first.', schema: toListSchema(Domain) },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listDomains(unit, actor.workspaceId, getPage(query), {
        state: query.state,
        host: query.host?.toLowerCase(),
        search: query.search,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'domains.get',
      method: 'GET',
      path: '/domains/{id}',
      tag: 'Domains',
      summary: 'Get a domain',
      access: 'domains:read',
      params: IdParams('domain'),
      success: { status: 200, description: 'The domain.', schema: Domain },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('domain', params.id);
      const { domain, version } = await service.getDomain(unit, actor.workspaceId, id);
      return { body: domain, version };
    },
  ),
  operation(
    {
      id: 'domains.update',
      method: 'PATCH',
      path: '/domains/{id}',
      tag: 'Domains',
      summary: 'Update a domain',
      description:
        'Omitted fields stay unchanged. Changes take effect within a second. The host cannot be changed: add another domain instead.',
      access: 'domains:write',
      params: IdParams('domain'),
      body: UpdateDomain,
      bodyExample: { not_found_url: 'https://example.com/lost', root_url: null },
      success: { status: 200, description: 'The updated domain.', schema: Domain },
      errors: ['unprocessable'],
      audit: 'domain',
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('domain', params.id);
      const { domain, version } = await service.updateDomain(unit, deps, actor, id, body, ifMatch);
      return { body: domain, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'domains.delete',
      method: 'DELETE',
      path: '/domains/{id}',
      tag: 'Domains',
      summary: 'Delete a domain',
      description:
        'Rejected while links use the domain. Afterwards, another workspace may verify the host. Its clicks remain in the totals of the workspace.',
      access: 'domains:write',
      params: IdParams('domain'),
      success: { status: 204, description: 'Deleted.' },
      errors: ['conflict'],
      audit: 'domain',
    },
    async ({ actor, params, unit, ifMatch }) => {
      const { host } = await service.deleteDomain(unit, actor, requireUuid('domain', params.id), ifMatch);
      return { body: undefined, auditDetails: { host } };
    },
  ),
  verifyDomain(deps),
];

function verifyDomain({ resolveTxt }: DomainOperationDeps): Operation {
  return operation(
    {
      id: 'domains.verify',
      method: 'POST',
      path: '/domains/{id}/verify',
      tag: 'Domains',
      summary: 'Verify a domain',
      description:
        'Checks the TXT record now and returns the domain with the result: `state`, and `last_error` if the record was not found. This takes up to six seconds if name servers are slow. Resolvers may cache a missing record for a while. A failed domain becomes pending for another seven days.',
      access: 'domains:write',
      params: IdParams('domain'),
      success: { status: 200, description: 'The domain after the check.', schema: Domain },
      events: ['domain.verified', 'domain.failed'],
      audit: 'domain',
    },
    ({ actor, params, unit }) =>
      lookUpDomain(unit, resolveTxt, actor.workspaceId, requireUuid('domain', params.id)),
    async ({ actor, params, unit, prepared }) => {
      const id = requireUuid('domain', params.id);
      const { domain, version } = await applyLookup(unit, actor.workspaceId, id, prepared);
      return {
        body: domain,
        version,
        auditDetails: { host: domain.host, state: domain.state, error: domain.last_error?.code ?? null },
      };
    },
  );
}
