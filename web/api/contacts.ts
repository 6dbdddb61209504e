/** Contacts: people and their addresses on the channels. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { apiFor, ensureOk, fetchOrProblem, unwrap, WORKSPACE_HEADER } from './client.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Contact, Job } from './types.ts';
import { upload } from './upload.ts';

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
  instanceId === '' ? '/contacts/import' : `/contacts/import?instance_id=${encodeURIComponent(instanceId)}`;

export const importContacts = (
  workspaceId: string,
  instanceId: string,
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<Job> => upload<Job>(workspaceId, importPath(instanceId), file, onProgress, signal);

const exportPath = (filter: ContactFilter): string => {
  const query = new URLSearchParams(
    Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return query === '' ? '/contacts/export' : `/contacts/export?${query}`;
};

/** All that match, as a file of CSV. @throws ApiProblem */
export async function exportContacts(workspaceId: string, filter: ContactFilter): Promise<Blob> {
  const response = await fetchOrProblem(`/api/v1${exportPath(filter)}`, {
    credentials: 'same-origin',
    headers: { [WORKSPACE_HEADER]: workspaceId },
  });
  return (await ensureOk(response)).blob();
}
