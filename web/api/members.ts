/** Members of a workspace and invitations to it. */
import { queryOptions } from '@tanstack/react-query';
import { api, apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';
import type { Role } from './types.ts';

export const membersQuery = (workspaceId: string) =>
  listQuery(['ws', workspaceId, 'members'], (query, signal) =>
    unwrap(apiFor(workspaceId).GET('/api/v1/members', { params: { query }, signal })),
  );

export const invitationsQuery = (workspaceId: string) =>
  listQuery(['ws', workspaceId, 'invitations'], (query, signal) =>
    unwrap(apiFor(workspaceId).GET('/api/v1/invitations', { params: { query }, signal })),
  );

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
