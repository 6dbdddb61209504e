/** Contacts: people and their addresses on the channels. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { pathWith } from './download.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Contact } from './types.ts';

export type NewContact = NonNullable<
  operations['contacts.create']['requestBody']
>['content']['application/json'];
export type ContactChange = NonNullable<
  operations['contacts.update']['requestBody']
>['content']['application/json'];

export interface ContactFilter {
  /** What name or address begin with. */
  name?: string;
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

export const updateContact = (workspaceId: string, id: string, body: ContactChange): Promise<Contact> =>
  unwrap(apiFor(workspaceId).PATCH('/api/v1/contacts/{id}', { params: { path: { id } }, body }));

export const setBlocked = (workspaceId: string, id: string, isBlocked: boolean): Promise<Contact> =>
  unwrap(
    apiFor(workspaceId).POST(`/api/v1/contacts/{id}/${isBlocked ? 'block' : 'unblock'}`, {
      params: { path: { id } },
    }),
  );

/** @param other is none by itself afterwards */
export const mergeContacts = (workspaceId: string, id: string, other: string): Promise<Contact> =>
  unwrap(
    apiFor(workspaceId).POST('/api/v1/contacts/{id}/merge', {
      params: { path: { id } },
      body: { contact_id: other },
    }),
  );

/** For good, with its chats. */
export const eraseContact = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/contacts/{id}', { params: { path: { id } } }));

/** Path of the import, of lines that name no instance. */
export const importPath = (instanceId: string): string =>
  pathWith('/contacts/import', { instance_id: instanceId || undefined });

/** Path of the export: all that match. */
export const exportPath = (filter: ContactFilter): string => pathWith('/contacts/export', filter);
