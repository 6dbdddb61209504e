/** Contacts: people and their addresses on the channels. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import { pathWith } from './download.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Contact, Job } from './types.ts';

export type NewContact = NonNullable<
  operations['contacts.create']['requestBody']
>['content']['application/json'];
export type ContactChange = NonNullable<
  operations['contacts.update']['requestBody']
>['content']['application/json'];

export interface ContactFilter {
  /** Words that words of the name start with. */
  search?: string;
  /** Start of an address. */
  address?: string;
  instance_id?: string;
  blocked?: boolean;
}

const contactsKey = (workspaceId: string) => ['ws', workspaceId, 'contacts'] as const;
export const refreshContacts = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: contactsKey(workspaceId) });

export const contactsQuery = (workspaceId: string, filter: ContactFilter) =>
  listQuery([...contactsKey(workspaceId), 'list', filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/contacts', { params: { query: { ...page, ...filter } }, signal }),
    ),
  );

export const contactQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...contactsKey(workspaceId), 'one', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/contacts/{id}', { params: { path: { id } }, signal })),
  });

export const createContact = (workspaceId: string, body: NewContact): Promise<Contact> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/contacts', { body }));

/** @param version the ETag that was read; null overwrites whatever there is */
export const updateContact = (
  workspaceId: string,
  id: string,
  body: ContactChange,
  version: string | null = null,
): Promise<Contact> =>
  unwrap(
    apiFor(workspaceId).PATCH('/api/v1/contacts/{id}', {
      params: { path: { id }, ...ifMatch(version) },
      body,
    }),
  );

export const setBlocked = (workspaceId: string, id: string, isBlocked: boolean): Promise<Contact> =>
  unwrap(
    apiFor(workspaceId).POST(`/api/v1/contacts/{id}/${isBlocked ? 'block' : 'unblock'}`, {
      params: { path: { id } },
    }),
  );

/** Starts a job that checks which addresses exist. */
export const checkAddresses = (
  workspaceId: string,
  body: { instance_id: string; addresses: string[] },
): Promise<Job> => unwrap(apiFor(workspaceId).POST('/api/v1/contacts/check', { body }));

/** @param other is deleted */
export const mergeContacts = (workspaceId: string, id: string, other: string): Promise<Contact> =>
  unwrap(
    apiFor(workspaceId).POST('/api/v1/contacts/{id}/merge', {
      params: { path: { id } },
      body: { contact_id: other },
    }),
  );

/** Permanently deletes a contact with its chats. */
export const eraseContact = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/contacts/{id}', { params: { path: { id } } }));

/** Returns the path of the import. @param instanceId for rows that don't specify one */
export const importPath = (instanceId: string): string =>
  pathWith('/contacts/import', { instance_id: instanceId || undefined });

/** Returns the path of the export of all matching contacts. */
export const exportPath = (filter: ContactFilter): string => pathWith('/contacts/export', filter);
