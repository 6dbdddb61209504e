/**
 * Creates, reads and changes contacts. Other services erase, merge, block and check them.
 *
 * Lock order: `instance_queues` of all instances on which addresses are added or removed, by ascending ID, then the
 * contacts' rows.
 */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { type List, toList, getPage } from '../../../platform/http/pagination.ts';
import { invalid, notFound, Problem } from '../../../platform/http/problem.ts';
import { changeContacts, createContacts } from './contact-change.ts';
import { type AddressDeps, changedMeanwhile, getIdentities, lockInstances } from './contact-input.ts';
import { type ContactFilter, toCursor, isCursorFor, listContacts as listRows } from './contact-list.store.ts';
import { presentContact } from './contact-present.ts';
import type {
  ContactFilterQuery,
  ContactObject,
  CreateContactBody,
  ListContactsQuery,
  UpdateContactBody,
  UpsertContactBody,
} from './contact.schema.ts';
import { splitSearch } from './contact-words.store.ts';
import * as store from './contact.store.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';

export interface ContactServiceDeps extends AddressDeps {
  quotas: Quotas;
}

export const withVersion = (row: store.ContactRow): WithVersion<{ contact: ContactObject }> => ({
  contact: presentContact(row),
  version: row.version,
});

/** @throws Problem invalid_cursor */
export async function listContacts(
  unit: ReadUnit,
  workspaceId: string,
  query: ListContactsQuery,
): Promise<List<ContactObject>> {
  const filter = await getFilter(unit, query);
  const page = getPage(query, isCursorFor(filter));
  const { rows, windowEnd } = await listRows(unit.db, workspaceId, page, filter);
  return toList(rows, page, toCursor, presentContact, windowEnd);
}

/** Returns a contact; the ID of a merged contact returns the one it was merged into. @throws Problem not_found */
export async function getContact(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ contact: ContactObject }>> {
  const [row] = await store.readContacts(unit.db, workspaceId, [
    await store.resolveId(unit.db, workspaceId, id),
  ]);
  if (!row) throw notFound('contact');
  return withVersion(row);
}

/** Locks the contact that an ID refers to. @throws Problem not_found, conflict */
async function lockContact(unit: Unit, workspaceId: string, id: string): Promise<store.ContactRow> {
  const [row] = await store.lockContacts(unit.db, workspaceId, [
    await store.resolveId(unit.db, workspaceId, id),
  ]);
  if (row) return row;
  // It may have been merged into another one during the wait for the lock.
  if ((await store.resolveId(unit.db, workspaceId, id)) !== id) throw changedMeanwhile();
  throw notFound('contact');
}

/**
 * Locks a contact whose addresses change, after the instances of its current and new addresses.
 * @throws Problem not_found, conflict
 */
export async function lockWithInstances(
  unit: Unit,
  workspaceId: string,
  id: string,
  further: readonly store.IdentityRow[] = [],
): Promise<store.ContactRow> {
  const resolved = await store.resolveId(unit.db, workspaceId, id);
  const [seen] = await store.readContacts(unit.db, workspaceId, [resolved]);
  if (!seen) throw notFound('contact');
  const locked = await lockInstances(
    unit,
    workspaceId,
    [...seen.identities, ...further].map((one) => one.instance_id),
  );
  const row = await lockContact(unit, workspaceId, resolved);
  if (row.identities.some((one) => !locked.has(one.instance_id))) throw changedMeanwhile();
  return row;
}

/** @throws Problem conflict, which names the contact that has an address */
async function assertFree(
  unit: Unit,
  workspaceId: string,
  identities: readonly store.IdentityRow[],
  self: string | null = null,
): Promise<void> {
  const owners = await store.getOwners(unit.db, workspaceId, identities);
  const taken = identities.flatMap((one) => {
    const owner = owners.get(store.keyOfIdentity(one));
    return owner === undefined || owner === self ? [] : [{ address: one.address, owner }];
  });
  if (!taken.length) return;
  const errors = taken.map(({ address, owner }) => ({
    pointer: '/identities',
    code: 'conflict',
    detail: `${address} belongs to ${publicId('contact', owner)}`,
  }));
  throw new Problem('conflict', `${errors[0]!.detail}. Change that contact, or merge the two.`, { errors });
}

const trimmed = (name: string | null | undefined): string | null => name?.trim() ?? null;

/** @throws Problem invalid_request, not_found, invalid_address, conflict, quota_exceeded */
export async function createContact(
  unit: Unit,
  deps: ContactServiceDeps,
  actor: WorkspaceActor,
  body: CreateContactBody,
): Promise<WithVersion<{ contact: ContactObject }>> {
  const { workspaceId } = actor;
  if (body.name === undefined && !body.identities?.length)
    throw invalid([{ pointer: '', code: 'required', detail: 'send a name, identities, or both' }]);
  const identities = await getIdentities(unit, deps, workspaceId, body.identities ?? []);
  await lockInstances(
    unit,
    workspaceId,
    identities.map((one) => one.instance_id),
  );
  await assertFree(unit, workspaceId, identities);
  await deps.quotas.assert(unit, workspaceId, 'contacts');
  const [row] = await createContacts(unit, workspaceId, [
    {
      id: unit.newUuid(),
      name: trimmed(body.name),
      profile_name: null,
      avatar_url: body.avatar_url ?? null,
      metadata: body.metadata ?? {},
      created_by: actor.id,
      identities,
    },
  ]);
  return withVersion(row!);
}

const getChange = (body: Omit<UpdateContactBody, 'identities'>): store.ContactChange => ({
  ...(body.name === undefined ? {} : { name: trimmed(body.name) }),
  ...(body.avatar_url === undefined ? {} : { avatar_url: body.avatar_url }),
  ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
});

/**
 * Creates the contact of an address, or changes the existing one as the body says.
 * @throws Problem not_found, invalid_address, quota_exceeded
 */
export async function upsertContact(
  unit: Unit,
  deps: ContactServiceDeps,
  actor: WorkspaceActor,
  { instance_id: instanceId, address, ...body }: UpsertContactBody,
): Promise<WithVersion<{ contact: ContactObject }> & { created: boolean }> {
  const { workspaceId } = actor;
  const given = [{ instance_id: instanceId, address }];
  const identities = await getIdentities(unit, deps, workspaceId, given, () => '');
  await lockInstances(
    unit,
    workspaceId,
    identities.map((one) => one.instance_id),
  );
  const [owner] = (await store.getOwners(unit.db, workspaceId, identities)).values();
  if (owner === undefined)
    return {
      ...(await createContact(unit, deps, actor, { ...body, identities: given })),
      created: true,
    };
  const [before] = await store.lockContacts(unit.db, workspaceId, [owner]);
  const [row] = await changeContacts(unit, workspaceId, [{ before: before!, change: getChange(body) }]);
  return { ...withVersion(row!), created: false, unchanged: row === before };
}

/**
 * Changes a contact. Omitted fields stay unchanged; identities are replaced as a whole.
 * @throws Problem not_found, precondition_failed, invalid_address, conflict
 */
export async function updateContact(
  unit: Unit,
  deps: ContactServiceDeps,
  workspaceId: string,
  id: string,
  { identities: given, ...body }: UpdateContactBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ contact: ContactObject }>> {
  const identities = given && (await getIdentities(unit, deps, workspaceId, given));
  const before = identities
    ? await lockWithInstances(unit, workspaceId, id, identities)
    : await lockContact(unit, workspaceId, id);
  assertMatches(ifMatch, before, 'contact');
  if (identities) await assertFree(unit, workspaceId, identities, before.id);
  const [row] = await changeContacts(unit, workspaceId, [
    { before, change: getChange(body), ...(identities ? { identities } : {}) },
  ]);
  return { ...withVersion(row!), unchanged: row === before };
}

/** Converts filters as received from a caller. */
export async function getFilter(unit: ReadUnit, query: ContactFilterQuery): Promise<ContactFilter> {
  return {
    name: query.name,
    words: query.search === undefined ? undefined : await splitSearch(unit.db, query.search),
    address: query.address,
    instanceId: query.instance_id === undefined ? undefined : toUuid('instance', query.instance_id)!,
    blocked: query.blocked,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
  };
}
