/** Members of a workspace and invitations to it. */
import { readQuery } from './read.ts';
import { get, send, post, patch, del } from './call.ts';
import { listQuery } from './list.ts';
import type { Invitation, Role } from './types.ts';

const MAX_OPTIONS = 20;

export const membersQuery = (workspaceId: string, search?: string) =>
  listQuery(
    ['ws', workspaceId, 'members', 'list', search],
    workspaceId,
    get('/members', { query: { search } }),
  );

/** Gets the members whose name or email contains a text, as options of a filter. */
export const memberOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: ['ws', workspaceId, 'member-options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { limit: MAX_OPTIONS, ...(search !== '' && { search }) };
    const { data } = await send(workspaceId, get('/members', { query }), { signal });
    return data.map(({ id, name, email }) => ({ value: id, label: name ?? email ?? id }));
  },
});

export const memberNameQuery = (workspaceId: string, id: string) => ({
  queryKey: ['ws', workspaceId, 'member-name', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    send(workspaceId, get('/members/{id}', { path: { id } }), { signal }).then(
      ({ name, email }) => name ?? email ?? id,
    ),
});

export const invitationsQuery = (workspaceId: string, state?: Invitation['state']) =>
  listQuery(
    ['ws', workspaceId, 'invitations', state],
    workspaceId,
    get('/invitations', { query: { state } }),
  );

/** Gets the invitation of a token. Requires no session. */
export const invitationLookupQuery = (token: string) =>
  readQuery(['invitation', token], null, post('/invitations/lookup', { body: { token } }), {
    staleTime: Infinity,
  });

export const acceptInvitation = (token: string) => post('/invitations/accept', { body: { token } });

export const createInvitation = (body: { email: string; role: Role }) => post('/invitations', { body });

export const revokeInvitation = (id: string) => post('/invitations/{id}/revoke', { path: { id } });

export const updateMember = (id: string, body: { role: Role }) =>
  patch('/members/{id}', { path: { id }, body });

/** @param disableCreated whether to disable what the person created */
export const removeMember = (id: string, disableCreated: boolean) =>
  del('/members/{id}', { path: { id }, query: disableCreated ? { disable_created: true } : {} });
