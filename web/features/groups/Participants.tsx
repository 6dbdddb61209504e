/** The participants of a group. */
import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconUserPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { get } from '../../api/call.ts';
import { participantsQuery } from '../../api/groups.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import type { Filter } from '../../patterns/list/filter.ts';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import type { GroupPart } from './group-actions.ts';
import { canManage, getBlock, participantName, roleLabel } from './group-text.ts';
import classes from './group.module.css';
import { participantColumns } from './participant-columns.tsx';
import { useParticipantActions } from './use-participant-actions.ts';

const PeopleDialog = lazyDialog(() => import('./PeopleDialog.tsx'), 'PeopleDialog');

const route = getRouteApi('/w/$workspace/groups/$id');

const ROLE: Filter = {
  kind: 'choice',
  key: 'role',
  label: t('Role'),
  options: (['owner', 'admin', 'member'] as const).map((value) => ({ value, label: roleLabel(value) })),
};

export function Participants(part: GroupPart) {
  const { group, instance } = part;
  const { workspace } = useWorkspace();
  const writes = useCan('groups:write');
  const { role } = route.useSearch();
  const list = useInfiniteQuery(participantsQuery(workspace.id, group.id, { role }));
  const rows = useMemo(() => list.data?.map((one) => ({ ...one, id: one.address })), [list.data]);
  const isEditable = getBlock(group, instance, writes) === null;
  const { actions, dialogs } = useActions(useParticipantActions(part, isEditable));
  const [changing, setChanging] = useState<'add' | 'unban' | null>(null);
  const operations = instance?.capabilities.operations ?? [];
  const columns = useMemo(() => participantColumns(instance?.address), [instance?.address]);
  return (
    <>
      <ResourceList
        name="participants"
        title={t('Participants')}
        part
        buttons={
          isEditable &&
          canManage(group) && (
            <>
              {operations.includes('group_ban') && (
                <Button size="xs" variant="default" onClick={() => setChanging('unban')}>
                  {t('Unban')}
                </Button>
              )}
              {operations.includes('group_add') && (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconUserPlus size={14} />}
                  onClick={() => setChanging('add')}
                >
                  {t('Add participants')}
                </Button>
              )}
            </>
          )
        }
        filters={[ROLE]}
        list={{ ...list, data: rows }}
        columns={columns}
        rowLabel={participantName}
        actions={actions}
        empty={
          <Text c="dimmed" py="xl" ta="center">
            {t('No known participants.')}
          </Text>
        }
      />
      <div className={classes.foot}>
        <AsCurl call={get('/groups/{id}/participants', { path: { id: group.id }, query: { role } })} />
      </div>
      {dialogs}
      {(['add', 'unban'] as const).map((what) => (
        <PeopleDialog
          key={what}
          opened={changing === what}
          what={what}
          group={group}
          onClose={() => setChanging(null)}
        />
      ))}
    </>
  );
}
