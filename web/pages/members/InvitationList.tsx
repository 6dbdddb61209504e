import { Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { IconMailForward } from '@tabler/icons-react';
import { useState } from 'react';
import { invitationsQuery, revokeInvitation } from '../../api/members.ts';
import type { Invitation } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable, type Column } from '../../ui/DataTable.tsx';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import classes from './members.module.css';

const TONES = { pending: 'warn', accepted: 'good', revoked: 'idle', expired: 'idle' } as const;

const FIRST = {
  method: 'POST',
  path: '/invitations',
  body: { email: 'grace@example.com', role: 'developer' },
} as const;

export function InvitationList({ action }: { action: React.ReactNode }) {
  const { workspace } = useWorkspace();
  const write = useCan('members:write');
  const queryClient = useQueryClient();
  const invitations = useInfiniteQuery(invitationsQuery(workspace.id));
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const columns: Column<Invitation>[] = [
    { key: 'email', title: 'For', render: ({ email }) => <Text fw={500}>{email}</Text> },
    { key: 'role', title: 'Role', width: 110, from: 'medium', render: ({ role }) => role },
    {
      key: 'state',
      title: 'State',
      width: 120,
      render: ({ state }) => <StateDot tone={TONES[state]}>{state}</StateDot>,
    },
    {
      key: 'expires_at',
      title: 'Expires',
      width: 150,
      from: 'medium',
      render: ({ state, expires_at }) => <RelativeTime at={state === 'pending' ? expires_at : null} />,
    },
    {
      key: 'actions',
      title: <span className={classes.hidden}>Actions</span>,
      width: 56,
      align: 'right',
      render: (invitation) => (
        <RowMenu
          of={invitation.email}
          actions={
            write && invitation.state === 'pending'
              ? [{ label: 'Revoke', danger: true, onClick: () => setRevoking(invitation) }]
              : []
          }
        />
      ),
    },
  ];
  return (
    <>
      <DataTable
        label="Invitations"
        list={invitations}
        columns={columns}
        empty={
          <EmptyList icon={IconMailForward} title="No invitations" action={action} call={FIRST}>
            Invite somebody by email address. They get a link that works once, for 7 days.
          </EmptyList>
        }
      />
      <OnceOpened opened={revoking !== null}>
        <ConfirmDialog
          opened={revoking !== null}
          title={`Revoke the invitation of ${revoking?.email ?? ''}?`}
          confirm="Revoke invitation"
          call={{ method: 'POST', path: `/invitations/${revoking?.id ?? ''}/revoke` }}
          action={() => revokeInvitation(workspace.id, revoking?.id ?? '')}
          onDone={() => {
            setRevoking(null);
            notifyDone('Invitation revoked');
            void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id, 'invitations'] });
          }}
          onClose={() => setRevoking(null)}
        >
          Its link stops working.
        </ConfirmDialog>
      </OnceOpened>
    </>
  );
}
