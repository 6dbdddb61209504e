import { Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconUserCog, IconUserMinus } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { membersQuery } from '../../api/members.ts';
import type { Member } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { workspacesQuery } from '../../api/workspaces.ts';
import { t } from '../../copy/text.ts';
import { Initial } from '../../design/Initial.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import type { Column } from '../../patterns/table/column.ts';
import classes from './members.module.css';
import { memberName, ROLE_NAMES } from './roles.ts';

const RoleDialog = lazyDialog(() => import('./RoleDialog.tsx'), 'RoleDialog');
const RemoveMemberDialog = lazyDialog(() => import('./RemoveMemberDialog.tsx'), 'RemoveMemberDialog');

const route = getRouteApi('/w/$workspace/members');

function Person({ member }: { member: Member }) {
  const { user } = useWorkspace();
  return (
    <div className={atoms.named}>
      <Initial name={memberName(member)} round />
      <div className={classes.personText}>
        <Text fw={500} truncate>
          {memberName(member)}
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
  const definitions: ActionDefinition<Member>[] = [
    {
      id: 'role',
      label: () => t('Change role'),
      icon: IconUserCog,
      scope: 'members:write',
      dialog: RoleDialog,
      done: () => t('Role changed'),
    },
    {
      id: 'remove',
      label: ({ id }) => (id === user.id ? t('Leave workspace') : t('Remove')),
      icon: IconUserMinus,
      danger: true,
      // Everyone may leave.
      applies: ({ id }) => write || id === user.id,
      dialog: RemoveMemberDialog,
      done: ({ id }) => (id === user.id ? t('You left the workspace') : t('Member removed')),
    },
  ];
  const { actions, dialogs } = useActions(definitions, async ({ id }, { action }) => {
    void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id] });
    if (action !== 'remove' || id !== user.id) return;
    await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
    await navigate({ to: '/' });
  });
  return (
    <>
      <ResourceList
        part
        name="members"
        title={t('Members')}
        search={t('Search by name or email')}
        list={useInfiniteQuery(membersQuery(workspace.id, q))}
        columns={COLUMNS}
        rowLabel={memberName}
        actions={actions}
        empty={<Text c="dimmed">{t('No members yet.')}</Text>}
      />
      {dialogs}
    </>
  );
}
