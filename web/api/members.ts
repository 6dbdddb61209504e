/** Members of a workspace and invitations to it. */
import { queryOptions } from '@tanstack/react-query';
import { api, apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';
import type { Invitation, Role } from './types.ts';

const MAX_OPTIONS = 20;

export const membersQuery = (workspaceId: string, search?: string) =>
  listQuery(['ws', workspaceId, 'members', 'list', search], (page, signal) => {
    const query = { ...page, ...(search && { search }) };
    return unwrap(apiFor(workspaceId).GET('/api/v1/members', { params: { query }, signal }));
  });

/** The members whose name or email contains a text, as options of a filter. */
export const memberOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: ['ws', workspaceId, 'member-options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { limit: MAX_OPTIONS, ...(search !== '' && { search }) };
    const { data } = await unwrap(apiFor(workspaceId).GET('/api/v1/members', { params: { query }, signal }));
    return data.map(({ id, name, email }) => ({ value: id, label: name ?? email ?? id }));
  },
});

export const memberNameQuery = (workspaceId: string, id: string) => ({
  queryKey: ['ws', workspaceId, 'member-name', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    unwrap(apiFor(workspaceId).GET('/api/v1/members/{id}', { params: { path: { id } }, signal })).then(
      ({ name, email }) => name ?? email ?? id,
    ),
});

export const invitationsQuery = (workspaceId: string, state?: Invitation['state']) =>
  listQuery(['ws', workspaceId, 'invitations', state], (page, signal) => {
    const query = { ...page, ...(state && { state }) };
    return unwrap(apiFor(workspaceId).GET('/api/v1/invitations', { params: { query }, signal }));
  });

/** What an invitation's token stands for; needs no session. */
export const invitationLookupQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => unwrap(api.POST('/api/v1/invitations/lookup', { body: { token }, signal })),
    staleTime: Infinity,
  });

export const acceptInvitation = (token: string) =>
  unwrap(api.POST('/api/v1/invitations/accept', { body: { token } }));

export const createInvitation = (workspaceId: string, body: { email: string; role: Role }) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/invitations', { body }));

export const revokeInvitation = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/invitations/{id}/revoke', { params: { path: { id } } }));

export const updateMember = (workspaceId: string, id: string, body: { role: Role }) =>
  unwrap(apiFor(workspaceId).PATCH('/api/v1/members/{id}', { params: { path: { id } }, body }));

/** @param disableCreated whether to disable what the person created */
export const removeMember = (workspaceId: string, id: string, disableCreated: boolean) =>
  unwrap(
    apiFor(workspaceId).DELETE('/api/v1/members/{id}', {
      params: { path: { id }, query: disableCreated ? { disable_created: true } : {} },
    }),
  );
