/** What happened to a group, newest first: its events, as people say them. */
import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { useMemo } from 'react';
import { groupHistoryQuery } from '../../api/groups.ts';
import type { EventObject, Group } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { type Names, whatHappened, whoDid } from './group-history.ts';
import classes from './group.module.css';

const columns = (names: Names): Column<EventObject>[] => [
  {
    key: 'what',
    title: 'What',
    render: (event) => {
      const said = whatHappened(event, names);
      return (
        <Text className={classes.happened} dir="auto" title={said}>
          {said}
        </Text>
      );
    },
  },
  {
    key: 'by',
    title: 'By',
    from: 'medium',
    render: (event) => (
      <Text truncate className={classes.by} dir="auto">
        {whoDid(event, names) ?? '–'}
      </Text>
    ),
  },
  { key: 'at', title: 'When', width: 130, render: ({ created_at: at }) => <RelativeTime at={at} /> },
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
  if (!events) return <Text c="dimmed">Your role does not read events.</Text>;
  return (
    <DataTable
      label="History"
      list={history}
      columns={shown}
      empty={
        <EmptyList
          icon={IconHistory}
          title="Nothing has happened yet"
          call={{ method: 'GET', path: `/events?type=group.*&resource_id=${group.id}` }}
        >
          Each change of the group is an event, and stays here for 30 days.
        </EmptyList>
      }
    />
  );
}
