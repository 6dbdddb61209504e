import { Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, useState } from 'react';
import { membersQuery } from '../../api/members.ts';
import type { Member } from '../../api/types.ts';
import { workspacesQuery } from '../../api/workspaces.ts';
import { Initial } from '../../shell/Initial.tsx';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable, type Column } from '../../ui/DataTable.tsx';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import classes from './members.module.css';

const RoleDialog = lazy(async () => ({ default: (await import('./RoleDialog.tsx')).RoleDialog }));

const RemoveMemberDialog = lazy(async () => ({
  default: (await import('./RemoveMemberDialog.tsx')).RemoveMemberDialog,
}));

const nameOf = (member: Member): string => member.name ?? member.email ?? 'Deleted account';

export function MemberList() {
  const { workspace, user } = useWorkspace();
  const write = useCan('members:write');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const members = useInfiniteQuery(membersQuery(workspace.id));
  const [action, setAction] = useState<{ kind: 'role' | 'remove'; member: Member } | null>(null);
  const removing = action?.kind === 'remove' ? action.member : null;
  const changed = (message: string) => {
    setAction(null);
    notifyDone(message);
    void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id] });
  };
  const columns: Column<Member>[] = [
    {
      key: 'name',
      title: 'Name',
      render: (member) => (
        <div className={classes.person}>
          <Initial name={nameOf(member)} round />
          <div className={classes.personText}>
            <Text fw={500} truncate>
              {nameOf(member)}
              {member.id === user.id && (
                <Text span c="dimmed">
                  {' '}
                  (you)
                </Text>
              )}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {member.email}
            </Text>
          </div>
        </div>
      ),
    },
    { key: 'role', title: 'Role', width: 120, render: ({ role }) => role },
    {
      key: 'created_at',
      title: 'Joined',
      width: 150,
      from: 'medium',
      render: (member) => <RelativeTime at={member.created_at} />,
    },
    {
      key: 'actions',
      title: <span className={classes.hidden}>Actions</span>,
      width: 56,
      align: 'right',
      render: (member) => (
        <RowMenu
          of={nameOf(member)}
          actions={[
            ...(write ? [{ label: 'Change role', onClick: () => setAction({ kind: 'role', member }) }] : []),
            ...(write || member.id === user.id
              ? [
                  {
                    label: member.id === user.id ? 'Leave workspace' : 'Remove',
                    danger: true,
                    onClick: () => setAction({ kind: 'remove', member }),
                  },
                ]
              : []),
          ]}
        />
      ),
    },
  ];
  return (
    <>
      <DataTable
        label="Members"
        list={members}
        columns={columns}
        empty={<Text c="dimmed">No members.</Text>}
      />
      <OnceOpened opened={action?.kind === 'role'}>
        <RoleDialog
          member={action?.kind === 'role' ? action.member : null}
          onClose={() => setAction(null)}
          onDone={() => changed('Role changed')}
        />
      </OnceOpened>
      <OnceOpened opened={removing !== null}>
        <RemoveMemberDialog
          member={removing}
          name={removing ? nameOf(removing) : ''}
          onClose={() => setAction(null)}
          onDone={async ({ id }) => {
            const self = id === user.id;
            changed(self ? 'You left the workspace' : 'Member removed');
            if (!self) return;
            await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
            await navigate({ to: '/' });
          }}
        />
      </OnceOpened>
    </>
  );
}
