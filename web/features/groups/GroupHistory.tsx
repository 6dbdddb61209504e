/** Lists the changes of a group, newest first. */
import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { useMemo } from 'react';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import { groupHistoryQuery } from '../../api/groups.ts';
import type { EventObject, Group } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import type { Column } from '../../patterns/table/column.ts';
import { DataTable } from '../../patterns/table/DataTable.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { type Names, describeEvent, getActor } from './group-history.ts';
import classes from './group.module.css';

const columns = (names: Names): Column<EventObject>[] => [
  {
    key: 'what',
    title: t('Change'),
    render: (event) => {
      const text = describeEvent(event, names);
      return (
        <Text className={classes.happened} dir="auto" title={text}>
          {text}
        </Text>
      );
    },
  },
  {
    key: 'by',
    title: t('Changed by'),
    from: 'medium',
    render: (event) => (
      <Text truncate className={atoms.narrow} dir="auto">
        {getActor(event, names) ?? '–'}
      </Text>
    ),
  },
  { key: 'at', title: t('Time'), width: 130, render: ({ created_at: at }) => <RelativeTime at={at} /> },
];

export function GroupHistory({ group }: { group: Group }) {
  const { workspace } = useWorkspace();
  const events = useCan('events:read');
  const history = useInfiniteQuery({ ...groupHistoryQuery(workspace.id, group.id), enabled: events });
  const { participants } = group;
  const shown = useMemo(
    () =>
      columns(new Map(participants.flatMap(({ address, name }) => (name === null ? [] : [[address, name]])))),
    [participants],
  );
  if (!events) return <Text c="dimmed">{t("Your role can't view events.")}</Text>;
  return (
    <DataTable
      label={t('History')}
      list={history}
      columns={shown}
      empty={
        <EmptyList
          icon={IconHistory}
          title={t('No changes yet')}
          call={{ method: 'GET', path: `/events?type=group.*&resource_id=${group.id}` }}
        >
          {t('Changes to this group appear here for 30 days.')}
        </EmptyList>
      }
    />
  );
}
