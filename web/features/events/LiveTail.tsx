/** The event log, updated live. */
import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconActivity } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { t } from '../../copy/text.ts';
import { eventQuery, eventsQuery } from '../../api/events.ts';
import type { EventObject } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import type { Column } from '../../patterns/table/column.ts';
import { LiveLog } from '../../patterns/live/LiveLog.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { matchesFilter } from './event-filter.ts';
import { eventTypeFilter } from './event-type-filter.ts';
import { EventObjectName } from './EventObjectName.tsx';
import { EventSheet } from './EventSheet.tsx';
import { useEventTail } from './use-event-tail.ts';

const route = getRouteApi('/w/$workspace/events');

const COLUMNS: Column<EventObject>[] = [
  {
    key: 'type',
    title: t('Type'),
    fixed: true,
    render: (event) => (
      <>
        <span className={ui.mono}>{event.type}</span>
        <Text size="xs" c="dimmed" component="div" lineClamp={1} className={ui.narrowOnly}>
          <EventObjectName event={event} />
        </Text>
      </>
    ),
  },
  {
    key: 'data',
    title: t('Object'),
    from: 'medium',
    render: (event) => (
      <Text component="div" truncate maw={320}>
        <EventObjectName event={event} />
      </Text>
    ),
  },
  {
    key: 'sequence',
    title: t('Sequence'),
    align: 'right',
    width: 110,
    from: 'medium', // doesn't fit on a phone beside the longest types; the sheet shows it
    render: ({ sequence }) => sequence,
  },
  {
    key: 'created_at',
    title: t('Created'),
    width: 150,
    render: (event) => <RelativeTime at={event.created_at} />,
  },
];

export function LiveTail() {
  const { workspace } = useWorkspace();
  const { type, id } = route.useSearch();
  const [paused, setPaused] = useState(false);
  // Unfiltered, so that the tail starts at the newest event of any type.
  const all = useInfiniteQuery(eventsQuery(workspace.id, {}));
  const list = useInfiniteQuery(eventsQuery(workspace.id, { type }));
  const newest = all.data && (all.data[0]?.sequence ?? 0);
  const tail = useEventTail(workspace.id, newest, paused);
  const events = useMemo(() => {
    const loaded = list.data;
    if (!loaded) return undefined;
    const known = new Set(loaded.map((event) => event.id));
    const fresh = tail.events.filter((event) => !known.has(event.id) && matchesFilter(event.type, type));
    return [...fresh, ...loaded].toSorted((a, b) => b.sequence - a.sequence);
  }, [list.data, tail.events, type]);
  return (
    <>
      <LiveLog
        part
        name="events"
        title={t('Events')}
        list={{ ...list, data: events }}
        columns={COLUMNS}
        selected={id}
        link={sheetLink()}
        rowLabel={(event) => event.type}
        fresh={(event) => tail.events.includes(event)}
        filters={[eventTypeFilter(workspace.id, 'type', true)]}
        notice={tail.error !== null && <ProblemAlert error={tail.error} />}
        live={{ state: tail.state, paused, onPause: setPaused }}
        empty={
          <EmptyList
            icon={IconActivity}
            title={t('No events yet')}
            call={{ method: 'GET', path: '/events/stream', stream: true }}
          >
            {t(
              'Events record every change in this workspace. They appear here in real time, and you can stream them with the API.',
            )}
          </EmptyList>
        }
      />
      <RecordSheet
        rows={events}
        single={(one) => eventQuery(workspace.id, one)}
        title={(event) => <span className={ui.mono}>{event.type}</span>}
      >
        {(event) => <EventSheet event={event} />}
      </RecordSheet>
    </>
  );
}
