import { Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconBan, IconMailForward } from '@tabler/icons-react';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { invitationsQuery, revokeInvitation } from '../../api/members.ts';
import type { Invitation } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import type { Filter } from '../../patterns/list/filter.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { ROLE_NAMES } from './roles.ts';

const route = getRouteApi('/w/$workspace/members');

const TONES = { pending: 'warn', accepted: 'good', revoked: 'idle', expired: 'idle' } as const;

const STATE_NAMES = {
  pending: t('Pending'),
  accepted: t('Accepted'),
  revoked: t('Revoked'),
  expired: t('Expired'),
};

const FIRST = {
  method: 'POST',
  path: '/invitations',
  body: { email: 'grace@example.com', role: 'developer' },
} as const;

const FILTERS: Filter[] = [
  {
    key: 'state',
    kind: 'choice',
    label: t('Status'),
    options: Object.entries(STATE_NAMES).map(([value, label]) => ({ value, label })),
  },
];

const COLUMNS: Column<Invitation>[] = [
  { key: 'email', title: t('Email'), fixed: true, render: ({ email }) => <Text fw={500}>{email}</Text> },
  { key: 'role', title: t('Role'), width: 110, from: 'medium', render: ({ role }) => ROLE_NAMES[role] },
  {
    key: 'state',
    title: t('Status'),
    width: 120,
    render: ({ state }) => <Status tone={TONES[state]}>{STATE_NAMES[state]}</Status>,
  },
  {
    key: 'expires_at',
    title: t('Expires'),
    width: 150,
    from: 'medium',
    render: ({ state, expires_at }) => <RelativeTime at={state === 'pending' ? expires_at : null} />,
  },
];

const ACTIONS: readonly ActionDefinition<Invitation>[] = [
  {
    id: 'revoke',
    label: () => t('Revoke'),
    icon: IconBan,
    danger: true,
    scope: 'members:write',
    applies: ({ state }) => state === 'pending',
    confirm: ({ id, email }) => ({
      title: t('Revoke invitation for {email}?', { email }),
      text: t('The invitation link stops working immediately.'),
      button: t('Revoke invitation'),
      call: revokeInvitation(id),
    }),
    done: () => t('Invitation revoked'),
  },
];

export function InvitationList() {
  const { workspace } = useWorkspace();
  const { state } = route.useSearch();
  const queryClient = useQueryClient();
  return (
    <ListPage
      part
      name="invitations"
      title={t('Invitations')}
      filters={FILTERS}
      list={useInfiniteQuery(invitationsQuery(workspace.id, state))}
      columns={COLUMNS}
      rowLabel={({ email }) => email}
      actions={ACTIONS}
      refresh={() => queryClient.invalidateQueries({ queryKey: ['ws', workspace.id, 'invitations'] })}
      empty={
        <EmptyList icon={IconMailForward} title={t('No invitations yet')} call={FIRST}>
          {t('Invite people to this workspace by email. Each invitation link works once, for 7 days.')}
        </EmptyList>
      }
    />
  );
}
