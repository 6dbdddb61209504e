/** Single clicks of a link, the newest first, as they come. */
import { Box, Group, SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { clicksExportPath, clicksPath, clicksQuery } from '../../api/analytics.ts';
import type { StreamState } from '../../api/live-events.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { ExportButton } from '../../ui/ExportButton.tsx';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { NoMatch } from '../../ui/ListStates.tsx';
import { LiveState } from '../../ui/LiveState.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { ActiveFilters } from '../analytics/ActiveFilters.tsx';
import { NoClicks } from '../analytics/NoClicks.tsx';
import { CLICK_COLUMNS } from './click-columns.tsx';
import { clickFilterOf, matches } from './click-filter.ts';
import { ClickSheet } from './ClickSheet.tsx';
import type { LinkTabProps } from './link-tabs.ts';
import { useLiveClicks } from './use-live-clicks.ts';

const route = getRouteApi('/w/$workspace/links/$id');

const WHO = [
  { value: '', label: 'All' },
  { value: 'people', label: 'People' },
  { value: 'bots', label: 'Bots' },
];

const SAID: Record<StreamState, [tone: 'live' | 'idle' | 'warn' | 'bad', text: string]> = {
  connecting: ['idle', 'connecting'],
  live: ['live', 'live'],
  retrying: ['warn', 'connecting again'],
  refused: ['bad', 'not connected'],
};

export function LinkClicks({ link }: LinkTabProps) {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [paused, setPaused] = useState(false);
  const go = (change: { [K in keyof typeof search]?: (typeof search)[K] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const filter = clickFilterOf(search);
  const list = useInfiniteQuery(clicksQuery(workspace.id, link.id, filter));
  const { clicks: live, state } = useLiveClicks(workspace.id, link.id, paused, () => void list.refetch());
  const clicks = useMemo(() => {
    if (!list.data) return undefined;
    const known = new Set(list.data.map(({ id }) => id));
    const came = live.filter((click) => !known.has(click.id) && matches(click, search));
    // By id, which begins with the time: those that come by the stream are not quite in order.
    return [...came, ...list.data].toSorted((one, other) => (one.id < other.id ? 1 : -1));
  }, [list.data, live, search]);
  const liveIds = useMemo(() => new Set(live.map(({ id }) => id)), [live]);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Group gap="sm" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label="Who"
          data={WHO}
          value={search.bot ?? ''}
          onChange={(value) => go({ bot: value === 'people' || value === 'bots' ? value : undefined })}
        />
        <ActiveFilters search={search} go={go} />
        <LiveState
          paused={paused}
          onPause={(now) => {
            setPaused(now);
            // What was clicked meanwhile is in the list.
            if (!now) void list.refetch();
          }}
          tone={paused ? 'idle' : SAID[state][0]}
          said={paused ? 'paused' : SAID[state][1]}
        />
        <Group ml="auto">
          <ExportButton path={clicksExportPath(link.id, filter)} fileName="clicks.csv" />
        </Group>
      </Group>
      <DataTable
        label="Clicks"
        list={{ ...list, data: clicks }}
        columns={CLICK_COLUMNS}
        selected={search.click}
        fresh={({ id }) => liveIds.has(id)}
        onSelect={(id) => go({ click: id })}
        empty={
          isFiltered ? (
            <NoMatch of="click" further={list.hasNextPage ? () => void list.fetchNextPage() : undefined} />
          ) : (
            <NoClicks
              search={{ range: 'custom' }}
              go={go}
              shortUrl={link.short_url}
              ever={link.clicks + link.bot_clicks > 0}
            />
          )
        }
      />
      <Box pt="xs">
        <AsCurl call={{ method: 'GET', path: clicksPath(link.id, filter) }} />
      </Box>
      <OnceOpened opened={search.click !== undefined}>
        <SideSheet
          record={clicks?.find(({ id }) => id === search.click)}
          ids={clicks?.map(({ id }) => id) ?? []}
          title={(click) => (
            <>
              {click.bot ? 'A bot' : 'A person'}, <RelativeTime at={click.created_at} />
            </>
          )}
          onSelect={(id) => go({ click: id })}
        >
          {(click) => <ClickSheet click={click} />}
        </SideSheet>
      </OnceOpened>
    </>
  );
}
