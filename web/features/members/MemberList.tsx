import { Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconUserCog, IconUserMinus } from '@tabler/icons-react';
import { useState } from 'react';
import { membersQuery } from '../../api/members.ts';
import type { Member } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { workspacesQuery } from '../../api/workspaces.ts';
import { t } from '../../copy/text.ts';
import { Initial } from '../../design/Initial.tsx';
import { notifyDone } from '../../design/notify.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import type { Action } from '../../patterns/actions/action.ts';
import { lazily } from '../../patterns/lazily.ts';
import { OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import type { Column } from '../../patterns/table/column.ts';
import classes from './members.module.css';
import { ROLE_NAMES } from './roles.ts';

const RoleDialog = lazily(() => import('./RoleDialog.tsx'), 'RoleDialog');
const RemoveMemberDialog = lazily(() => import('./RemoveMemberDialog.tsx'), 'RemoveMemberDialog');

const route = getRouteApi('/w/$workspace/members');

const getName = (member: Member): string => member.name ?? member.email ?? t('Deleted account');

function Person({ member }: { member: Member }) {
  const { user } = useWorkspace();
  return (
    <div className={classes.person}>
      <Initial name={getName(member)} round />
      <div className={classes.personText}>
        <Text fw={500} truncate>
          {getName(member)}
          {member.id === user.id && (
            <Text span c="dimmed">
              {' '}
              {t('(you)')}
            </Text>
          )}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {member.email}
        </Text>
      </div>
    </div>
  );
}

const COLUMNS: Column<Member>[] = [
  { key: 'name', title: t('Name'), fixed: true, render: (member) => <Person member={member} /> },
  { key: 'role', title: t('Role'), width: 120, render: ({ role }) => ROLE_NAMES[role] },
  {
    key: 'created_at',
    title: t('Joined'),
    width: 150,
    from: 'medium',
    render: (member) => <RelativeTime at={member.created_at} />,
  },
];

export function MemberList() {
  const { workspace, user } = useWorkspace();
  const write = useCan('members:write');
  const { q } = route.useSearch();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const members = useInfiniteQuery(membersQuery(workspace.id, q));
  const [action, setAction] = useState<{ kind: 'role' | 'remove'; member: Member } | null>(null);
  const removing = action?.kind === 'remove' ? action.member : null;
  const changed = (message: string) => {
    setAction(null);
    notifyDone(message);
    void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id] });
  };
  const actions: Action<Member>[] = [
    {
      id: 'role',
      label: () => t('Change role'),
      icon: IconUserCog,
      scope: 'members:write',
      run: (member) => setAction({ kind: 'role', member }),
    },
    {
      id: 'remove',
      label: ({ id }) => (id === user.id ? t('Leave workspace') : t('Remove')),
      icon: IconUserMinus,
      danger: true,
      // Everyone may leave.
      applies: ({ id }) => write || id === user.id,
      run: (member) => setAction({ kind: 'remove', member }),
    },
  ];
  return (
    <>
      <ResourceList
        part
        name="members"
        title={t('Members')}
        search={t('Search by name or email')}
        list={members}
        columns={COLUMNS}
        rowLabel={getName}
        actions={actions}
        empty={<Text c="dimmed">{t('No members yet.')}</Text>}
      />
      <OnceOpened opened={action?.kind === 'role'}>
        <RoleDialog
          member={action?.kind === 'role' ? action.member : null}
          onClose={() => setAction(null)}
          onDone={() => changed(t('Role changed'))}
        />
      </OnceOpened>
      <OnceOpened opened={removing !== null}>
        <RemoveMemberDialog
          member={removing}
          name={removing ? getName(removing) : ''}
          onClose={() => setAction(null)}
          onDone={async ({ id }) => {
            const self = id === user.id;
            changed(self ? t('You left the workspace') : t('Member removed'));
            if (!self) return;
            await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
            await navigate({ to: '/' });
          }}
        />
      </OnceOpened>
    </>
  );
}
