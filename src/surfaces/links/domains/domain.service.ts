/**
 * Creates, reads, updates and deletes link domains. A host belongs to the workspace that verifies it first. A domain
 * does not redirect before it is verified. For verification see domain-check.ts.
 */
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { type FieldError, invalid, notFound, Problem } from '../../../platform/http/problem.ts';
import { findLinkDomains } from '../addresses/link-address.system-store.ts';
import { linkLoop, type UrlErrors, type UrlRules } from '../addresses/link-url.ts';
import { appendRouteChanges } from '../redirect/route-change.store.ts';
import { nextCheck } from './domain-schedule.ts';
import type { CreateDomainBody, DomainObject, UpdateDomainBody } from './domain.schema.ts';
import * as store from './domain.store.ts';
import { readDomainHost } from './host.ts';
import { isHostVerified } from './hostname.system-store.ts';
import { newToken, recordName, recordValue } from './txt-record.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';

export interface DomainDeps {
  /** The hostname of BASE_URL. */
  ownHost: string;
  urlRules: UrlRules;
  quotas: Quotas;
}

/** Links are counted up to this number before a deletion is rejected. */
const MAX_COUNTED = 10_000;

const presentDomain = (row: store.DomainRow): DomainObject => ({
  id: publicId('domain', row.id),
  object: 'domain',
  host: row.host,
  state: row.state as DomainObject['state'],
  verification: { type: 'TXT', name: recordName(row.host), value: recordValue(row.token) },
  last_error: row.last_error,
  checked_at: row.checked_at?.toISOString() ?? null,
  next_check_at: row.check_at?.toISOString() ?? null,
  verified_at: row.verified_at?.toISOString() ?? null,
  not_found_url: row.not_found_url,
  root_url: row.root_url,
  metadata: row.metadata as Record<string, string>,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const URL_FIELDS = ['not_found_url', 'root_url'] as const;

/** Validates URLs. @param host of the domain, which its URLs must not point to. @throws Problem with all errors */
async function checkFields(
  unit: Unit,
  { urlRules }: DomainDeps,
  host: string | null,
  body: UpdateDomainBody,
  errors: UrlErrors,
): Promise<void> {
  const hosts = new Map<string, string>();
  for (const field of URL_FIELDS) {
    const url = body[field];
    const found = url ? urlRules.check(url, `/${field}`, errors) : null;
    if (found !== null) hosts.set(`/${field}`, found);
  }
  if (errors.shape.length) throw invalid(errors.shape);
  const linkDomains = await findLinkDomains(unit.db, [...new Set(hosts.values())]);
  for (const [pointer, found] of hosts)
    if (linkDomains.has(found) || found === host) errors.rejected.push(linkLoop(pointer));
  assertAllowed(errors.rejected);
}

function assertAllowed(errors: FieldError[]): void {
  if (errors.length)
    throw new Problem('unprocessable', errors.map(({ detail }) => detail).join('; '), { errors });
}

/** Gets a domain. @throws Problem not_found */
export async function getDomain(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ domain: DomainObject }>> {
  const row = await store.getDomain(unit.db, workspaceId, id);
  if (!row) throw notFound('domain');
  return { domain: presentDomain(row), version: row.version };
}

export async function listDomains(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  filter: store.DomainFilter,
): Promise<List<DomainObject>> {
  const rows = await store.listDomains(unit.db, workspaceId, page, filter);
  return toList(rows, page, ({ id }) => id, presentDomain);
}

const conflict = (detail: string, code: string): Problem =>
  new Problem('conflict', detail, { errors: [{ pointer: '/host', code, detail }] });

/** Adds a domain and schedules its verification. @throws Problem invalid_request, unprocessable, conflict */
export async function createDomain(
  unit: Unit,
  deps: DomainDeps,
  actor: WorkspaceActor,
  body: CreateDomainBody,
): Promise<WithVersion<{ domain: DomainObject }>> {
  const { workspaceId } = actor;
  const read = readDomainHost(body.host, deps.ownHost);
  const faults: UrlErrors = { shape: [], rejected: [] };
  if ('fault' in read) {
    const kind = read.fault.code === 'invalid_host' ? faults.shape : faults.rejected;
    kind.push({ pointer: '/host', ...read.fault });
  }
  const host = 'host' in read ? read.host : '';
  await checkFields(unit, deps, host, body, faults);
  await deps.quotas.assert(unit, workspaceId, 'domains');
  const id = unit.newUuid();
  // `created_at` is the time in the ID, because lists filter by ID.
  const now = timeOfUuid(id);
  const isNew = await store.insertDomain(unit.db, workspaceId, {
    id,
    host,
    token: newToken(),
    not_found_url: body.not_found_url ?? null,
    root_url: body.root_url ?? null,
    metadata: body.metadata ?? {},
    created_by: actor.id,
    created_at: now,
    check_at: nextCheck(now, now),
  });
  if (!isNew) throw conflict(`The workspace already has the domain ${host}.`, 'taken');
  if (await isHostVerified(unit.db, host))
    throw conflict(`${host} is already verified by another workspace on this server.`, 'host_taken');
  return getDomain(unit, workspaceId, id);
}

/** Updates a domain. @throws Problem not_found, precondition_failed, invalid_request, unprocessable */
export async function updateDomain(
  unit: Unit,
  deps: DomainDeps,
  actor: WorkspaceActor,
  id: string,
  body: UpdateDomainBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ domain: DomainObject }>> {
  const { workspaceId } = actor;
  const row = await store.lockDomain(unit.db, workspaceId, id, 'change');
  if (!row) throw notFound('domain');
  assertMatches(ifMatch, row, 'domain');
  await checkFields(unit, deps, row.host, body, { shape: [], rejected: [] });
  await store.updateDomain(unit.db, workspaceId, id, {
    ...(body.not_found_url === undefined ? {} : { not_found_url: body.not_found_url }),
    ...(body.root_url === undefined ? {} : { root_url: body.root_url }),
    ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
    updated_at: unit.clock(),
  });
  if (row.state === 'verified')
    await appendRouteChanges(unit.db, workspaceId, [{ domain: row.host, slug: null }]);
  return getDomain(unit, workspaceId, id);
}

/** Deletes a domain. @throws Problem not_found, precondition_failed; conflict while links use it */
export async function deleteDomain(
  unit: Unit,
  actor: WorkspaceActor,
  id: string,
  ifMatch: IfMatch,
): Promise<{ host: string }> {
  const { workspaceId } = actor;
  const row = await store.lockDomain(unit.db, workspaceId, id, 'delete');
  if (!row) throw notFound('domain');
  assertMatches(ifMatch, row, 'domain');
  const { host } = row;
  const count = await store.countLinksOfHost(unit.db, workspaceId, host, MAX_COUNTED);
  if (count > 0) {
    const usage =
      count === MAX_COUNTED
        ? `${count} or more links use`
        : count === 1
          ? '1 link uses'
          : `${count} links use`;
    throw new Problem('conflict', `${usage} ${host}. Delete them or move them to another domain first.`, {
      errors: [{ pointer: '', code: 'domain_in_use', detail: `${usage} it` }],
    });
  }
  await store.deleteDomain(unit.db, workspaceId, id);
  if (row.state === 'verified')
    await appendRouteChanges(unit.db, workspaceId, [{ domain: host, slug: null }]);
  return { host };
}
