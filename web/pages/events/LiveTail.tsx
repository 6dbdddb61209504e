/** The event log with its live end. */
import { Group, NativeSelect } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconActivity } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { eventsQuery, storedEventTypesQuery } from '../../api/events.ts';
import type { EventObject } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { DataTable, type Column } from '../../ui/DataTable.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { LiveState } from '../../ui/LiveState.tsx';
import ui from '../../ui/ui.module.css';
import { matchesFilter, typeChoices } from './event-filter.ts';
import { objectIdOf } from './event-object.ts';
import { EventSheet } from './EventSheet.tsx';
import { useEventTail, type TailState } from './use-event-tail.ts';

const route = getRouteApi('/w/$workspace/events');

const COLUMNS: Column<EventObject>[] = [
  { key: 'type', title: 'Type', render: ({ type }) => <span className={ui.mono}>{type}</span> },
  {
    key: 'data',
    title: 'About',
    from: 'medium',
    render: (event) => <span className={ui.mono}>{objectIdOf(event) ?? '–'}</span>,
  },
  {
    key: 'sequence',
    title: 'Sequence',
    align: 'right',
    width: 110,
    from: 'medium', // beside the longest types it does not fit a phone; the sheet has it
    render: ({ sequence }) => sequence,
  },
  {
    key: 'created_at',
    title: 'When',
    width: 150,
    render: (event) => <RelativeTime at={event.created_at} />,
  },
];

const SAID: Record<TailState, [tone: 'live' | 'idle' | 'warn' | 'bad', text: string]> = {
  connecting: ['idle', 'connecting'],
  live: ['live', 'live'],
  paused: ['idle', 'paused'],
  retrying: ['warn', 'connecting again'],
  refused: ['bad', 'not connected'],
};

export function LiveTail() {
  const { workspace } = useWorkspace();
  const { type, id } = route.useSearch();
  const navigate = route.useNavigate();
  const [paused, setPaused] = useState(false);
  const { data: types = [] } = useQuery(storedEventTypesQuery(workspace.id));
  // Unfiltered, so that the tail begins at the newest event of all.
  const all = useInfiniteQuery(eventsQuery(workspace.id, {}));
  const list = useInfiniteQuery(eventsQuery(workspace.id, type === undefined ? {} : { type }));
  const newest = all.data && (all.data[0]?.sequence ?? 0);
  const tail = useEventTail(workspace.id, newest, paused);

  const events = useMemo(() => {
    const loaded = list.data;
    if (!loaded) return undefined;
    const known = new Set(loaded.map((event) => event.id));
    const fresh = tail.events.filter((event) => !known.has(event.id) && matchesFilter(event.type, type));
    return [...fresh, ...loaded].toSorted((a, b) => b.sequence - a.sequence);
  }, [list.data, tail.events, type]);

  const [tone, said] = SAID[tail.state];
  const go = (change: { type?: string | undefined; id?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <Group gap="sm" mb="sm">
        <NativeSelect
          size="xs"
          aria-label="Type of event"
          w={230}
          data={[{ value: '', label: 'All types' }, ...typeChoices(types.map((one) => one.id))]}
          value={type ?? ''}
          onChange={({ currentTarget }) => go({ type: currentTarget.value || undefined })}
        />
        <LiveState paused={paused} onPause={setPaused} tone={tone} said={said} />
      </Group>
      {tail.error !== null && <ProblemAlert error={tail.error} />}
      <DataTable
        label="Events"
        list={{ ...list, data: events }}
        columns={COLUMNS}
        selected={id}
        fresh={(event) => tail.events.includes(event)}
        onSelect={(chosen) => go({ id: chosen })}
        empty={
          <EmptyList
            icon={IconActivity}
            title="No events yet"
            call={{ method: 'GET', path: '/events/stream', stream: true }}
          >
            Each change in the workspace writes one. They show up here as they happen, and a program can
            follow them too.
          </EmptyList>
        }
      />
      <OnceOpened opened={id !== undefined}>
        <SideSheet
          record={events?.find((event) => event.id === id)}
          ids={events?.map((event) => event.id) ?? []}
          title={(event) => <span className={ui.mono}>{event.type}</span>}
          onSelect={(chosen) => go({ id: chosen })}
        >
          {(event) => <EventSheet event={event} />}
        </SideSheet>
      </OnceOpened>
    </>
  );
}
