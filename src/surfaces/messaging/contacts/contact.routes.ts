/** Operations on contacts, except imports and exports (contact-transfer.routes.ts). */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { requireUuid, toUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { Job } from '../../../core/jobs/job.schema.ts';
import { type BlockDeps, setBlocked } from './contact-block.service.ts';
import { checkAddresses } from './contact-check.service.ts';
import { eraseContact } from './contact-erasure.ts';
import { mergeContacts } from './contact-merge.ts';
import {
  CheckContacts,
  Contact,
  ContactList,
  CreateContact,
  MergeContact,
  UpdateContact,
  UpsertContact,
} from './contact.schema.ts';
import * as service from './contact.service.ts';

export type ContactDeps = service.ContactServiceDeps & BlockDeps;

const IDENTITY = { instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41', address: 'alice' };

export const contactOperations = (deps: ContactDeps): Operation[] => [
  operation(
    {
      id: 'contacts.create',
      method: 'POST',
      path: '/contacts',
      tag: 'Contacts',
      summary: 'Create a contact',
      description:
        'Creates a contact with a name, addresses, or both. An address belongs to only one contact. If the address may already have a contact, use `PUT /contacts/upsert`.',
      access: 'contacts:write',
      body: CreateContact,
      bodyExample: { name: 'Alice Meyer', identities: [IDENTITY] },
      success: { status: 201, description: 'The contact.', schema: Contact },
      errors: ['not_found', 'conflict', 'invalid_address', 'quota_exceeded', 'unprocessable'],
      events: ['contact.created'],
      audit: 'contact',
    },
    async ({ actor, body, unit }) => {
      const { contact, version } = await service.createContact(unit, deps, actor, body);
      return { body: contact, version, created: true };
    },
  ),
  operation(
    {
      id: 'contacts.upsert',
      method: 'PUT',
      path: '/contacts/upsert',
      tag: 'Contacts',
      summary: 'Create or update a contact by address',
      description:
        'Updates the contact that has the address on the instance; omitted fields stay unchanged. Creates a contact if there is none. Concurrent calls create one contact.',
      access: 'contacts:write',
      body: UpsertContact,
      bodyExample: { ...IDENTITY, name: 'Alice Meyer' },
      success: { status: 200, description: 'The updated contact.', schema: Contact },
      otherSuccess: { status: 201, description: 'The created contact.', schema: Contact },
      errors: ['not_found', 'conflict', 'invalid_address', 'quota_exceeded', 'unprocessable'],
      events: ['contact.created', 'contact.updated'],
      audit: 'contact',
    },
    async ({ actor, body, unit }) => {
      const { contact, version, created, unchanged } = await service.upsertContact(unit, deps, actor, body);
      const auditDetails = created ? { created } : { changed: Object.keys(body) };
      return { body: contact, version, created, unchanged, auditDetails, status: created ? 201 : 200 };
    },
  ),
  operation(
    {
      id: 'contacts.list',
      method: 'GET',
      path: '/contacts',
      tag: 'Contacts',
      summary: 'List and search contacts',
      description:
        'Returns contacts newest first, or sorted by name, matching word or address if you filter by `name`, `search` or `address`. A page may have fewer items than requested even if there are more (`has_more`).',
      access: 'contacts:read',
      query: ContactList,
      success: { status: 200, description: 'A page of contacts.', schema: toListSchema(Contact) },
    },
    async ({ actor, query, unit }) => {
      return { body: await service.listContacts(unit, actor.workspaceId, query) };
    },
  ),
  operation(
    {
      id: 'contacts.check',
      method: 'POST',
      path: '/contacts/check',
      tag: 'Contacts',
      summary: 'Check whether addresses exist',
      description:
        "Asks the channel over the instance's connection. The result of the job is `{results: [{address, normalised, exists}]}`, in the order of the request. `normalised` is the address as the channel writes it, or null if it is invalid. `exists` is null if the channel cannot tell. `results` is null if the instance does not connect within ten minutes.",
      access: 'contacts:write',
      body: CheckContacts,
      success: { status: 202, description: 'The job.', schema: Job },
      errors: ['not_found', 'instance_disconnected', 'conflict'],
      audit: 'job',
    },
    async ({ actor, body, unit }) => ({
      body: await checkAddresses(unit, deps, actor.workspaceId, body),
      auditDetails: { instance: body.instance_id, count: body.addresses.length },
    }),
  ),
  operation(
    {
      id: 'contacts.get',
      method: 'GET',
      path: '/contacts/{id}',
      tag: 'Contacts',
      summary: 'Get a contact',
      description:
        'Returns a contact. The ID of a merged contact returns the contact that it was merged into.',
      access: 'contacts:read',
      params: IdParams('contact'),
      success: { status: 200, description: 'The contact.', schema: Contact },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('contact', params.id);
      const { contact, version } = await service.getContact(unit, actor.workspaceId, id);
      return { body: contact, version };
    },
  ),
  operation(
    {
      id: 'contacts.update',
      method: 'PATCH',
      path: '/contacts/{id}',
      tag: 'Contacts',
      summary: 'Update a contact',
      description:
        'Omitted fields stay unchanged; `identities` and `metadata` are each replaced as a whole. An address of another contact is rejected; merge the contacts instead.',
      access: 'contacts:write',
      params: IdParams('contact'),
      body: UpdateContact,
      bodyExample: { name: 'Alice Meyer-Lang' },
      success: { status: 200, description: 'The updated contact.', schema: Contact },
      errors: ['conflict', 'invalid_address', 'unprocessable'],
      events: ['contact.updated'],
      audit: 'contact',
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('contact', params.id);
      const { contact, version, unchanged } = await service.updateContact(
        unit,
        deps,
        actor.workspaceId,
        id,
        body,
        ifMatch,
      );
      return { body: contact, version, unchanged, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'contacts.delete',
      method: 'DELETE',
      path: '/contacts/{id}',
      tag: 'Contacts',
      summary: 'Erase a contact',
      description:
        'Permanently deletes the contact and its direct chats. Once you receive the response, their messages are no longer visible, and queued ones are not sent. The messages are then deleted with their reactions and received files, and the content of its group messages is erased. Within minutes, events, deliveries, rule runs, publications and stored responses about the contact are redacted too, without gaps in their sequences. A later message creates a new contact.',
      access: 'contacts:write',
      params: IdParams('contact'),
      success: { status: 204, description: 'Erased.' },
      errors: ['conflict'],
      events: ['contact.deleted', 'link.updated', 'link.deleted', 'publication.canceled'],
      audit: 'contact',
    },
    async ({ actor, params, unit, ifMatch }) => {
      await eraseContact(unit, actor.workspaceId, requireUuid('contact', params.id), ifMatch);
      return { body: undefined };
    },
  ),
  blocking(deps, true),
  blocking(deps, false),
  operation(
    {
      id: 'contacts.merge',
      method: 'POST',
      path: '/contacts/{id}/merge',
      tag: 'Contacts',
      summary: 'Merge another contact into this one',
      description:
        'Moves the addresses, chats and messages of the other contact to this one and fills empty fields. The contact is blocked if either was. The ID of the other contact then refers to this one. While many chats and messages are moved, some show the other ID.',
      access: 'contacts:write',
      params: IdParams('contact'),
      body: MergeContact,
      // Differs from the ID in the path.
      bodyExample: { contact_id: 'con_01h2xcejqtf2nbrexx3vqjhp42' },
      success: { status: 200, description: 'The updated contact.', schema: Contact },
      errors: ['conflict', 'unprocessable'],
      events: ['contact.deleted', 'contact.updated', 'link.updated'],
      audit: 'contact',
    },
    async ({ actor, params, body, unit }) => {
      const { contact, version } = await mergeContacts(
        unit,
        deps,
        actor.workspaceId,
        requireUuid('contact', params.id),
        toUuid('contact', body.contact_id)!,
      );
      return { body: contact, version, auditDetails: { merged: body.contact_id } };
    },
  ),
];

function blocking(deps: ContactDeps, isBlocked: boolean): Operation {
  const verb = isBlocked ? 'block' : 'unblock';
  return operation(
    {
      id: `contacts.${verb}`,
      method: 'POST',
      path: `/contacts/{id}/${verb}`,
      ...(isBlocked ? { whenFull: 'goes_on' as const } : {}),
      tag: 'Contacts',
      summary: isBlocked ? 'Block a contact' : 'Unblock a contact',
      description: isBlocked
        ? "Direct messages from this contact are discarded. They aren't stored and send no events. If the channel supports blocking, the contact is blocked there too once the instance is connected. Group messages are still received, and you can still send messages to the contact."
        : "New messages from the contact are received again. Discarded messages can't be recovered.",
      access: 'contacts:write',
      params: IdParams('contact'),
      success: { status: 200, description: 'The updated contact.', schema: Contact },
      errors: ['conflict'],
      events: ['contact.updated'],
      audit: 'contact',
    },
    async ({ actor, params, unit }: { actor: WorkspaceActor; params: { id: string }; unit: Unit }) => {
      const id = requireUuid('contact', params.id);
      const { contact, version } = await setBlocked(unit, deps, actor.workspaceId, id, isBlocked);
      return { body: contact, version };
    },
  );
}
