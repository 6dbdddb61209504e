/** Contacts: people and their addresses on the channels. */
import type { QueryClient } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { get, post, patch, del, type BodyOf, type FilterOf, pathWith } from './call.ts';
import { listQuery } from './list.ts';

export type ContactFilter = FilterOf<'/contacts'>;

const contactsKey = (workspaceId: string) => ['ws', workspaceId, 'contacts'] as const;
export const refreshContacts = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: contactsKey(workspaceId) });

export const contactsQuery = (workspaceId: string, filter: ContactFilter) =>
  listQuery([...contactsKey(workspaceId), 'list', filter], workspaceId, get('/contacts', { query: filter }));

export const contactQuery = (workspaceId: string, id: string) =>
  readQuery([...contactsKey(workspaceId), 'one', id], workspaceId, get('/contacts/{id}', { path: { id } }));

export const createContact = (body: BodyOf<'post', '/contacts'>) => post('/contacts', { body });

export const updateContact = (id: string, body: BodyOf<'patch', '/contacts/{id}'>) =>
  patch('/contacts/{id}', { path: { id }, body });

export const setBlocked = (id: string, isBlocked: boolean) =>
  post(`/contacts/{id}/${isBlocked ? 'block' : 'unblock'}`, { path: { id } });

/** Starts a job that checks which addresses exist. */
export const checkAddresses = (body: BodyOf<'post', '/contacts/check'>) => post('/contacts/check', { body });

/** @param other is deleted */
export const mergeContacts = (id: string, other: string) =>
  post('/contacts/{id}/merge', { path: { id }, body: { contact_id: other } });

/** Permanently deletes a contact with its chats. */
export const eraseContact = (id: string) => del('/contacts/{id}', { path: { id } });

/** Returns the path of the import. @param instanceId for rows that don't specify one */
export const importPath = (instanceId: string): string =>
  pathWith('/contacts/import', { instance_id: instanceId || undefined });

/** Returns the path of the export of all matching contacts. */
export const exportPath = (filter: ContactFilter): string => pathWith('/contacts/export', filter);
