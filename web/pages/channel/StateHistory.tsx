/** How the state of an account went, newest first: why a message waited yesterday stands here. */
import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { instanceOf, stateHistoryQuery } from '../../api/instances.ts';
import type { EventObject } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { reasonWord } from '../channels/instance-text.ts';
import { InstanceState } from '../channels/InstanceState.tsx';
import classes from './channel.module.css';

/** The error of the time, where it belongs to this change. */
function Detail({ event }: { event: EventObject }) {
  const instance = instanceOf(event);
  const fresh = instance?.state === 'failed' || instance?.state === 'reconnecting';
  return (
    <Text truncate className={classes.detail} c="dimmed" title={fresh ? instance.last_error?.detail : ''}>
      {(fresh && instance.last_error?.detail) || '–'}
    </Text>
  );
}

const COLUMNS: Column<EventObject>[] = [
  {
    key: 'state',
    title: 'State',
    render: (event) => {
      const instance = instanceOf(event);
      return instance ? <InstanceState state={instance.state} /> : '–';
    },
  },
  {
    key: 'reason',
    title: 'Why',
    render: (event) => reasonWord(instanceOf(event)?.state_reason ?? null) ?? '–',
  },
  {
    key: 'detail',
    title: 'What the channel said',
    from: 'medium',
    render: (event) => <Detail event={event} />,
  },
  { key: 'at', title: 'When', width: 130, render: ({ created_at: at }) => <RelativeTime at={at} /> },
];

export function StateHistory({ instanceId }: { instanceId: string }) {
  const { workspace } = useWorkspace();
  const events = useCan('events:read');
  const history = useInfiniteQuery({ ...stateHistoryQuery(workspace.id, instanceId), enabled: events });
  if (!events) return <Text c="dimmed">Your role does not read events.</Text>;
  return (
    <DataTable
      label="History"
      list={history}
      columns={COLUMNS}
      empty={
        <EmptyList
          icon={IconHistory}
          title="Nothing has changed yet"
          call={{ method: 'GET', path: `/events?type=instance.state_changed&resource_id=${instanceId}` }}
        >
          Each change of state is an event, and stays here for 30 days.
        </EmptyList>
      }
    />
  );
}
