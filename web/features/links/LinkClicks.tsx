/** The clicks on a link in real time, newest first. */
import { Box, Group, SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { t } from '../../copy/text.ts';
import { clickQuery, clicksExportPath, clicksPath, clicksQuery } from '../../api/analytics.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { DataTable } from '../../patterns/table/DataTable.tsx';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { ExportButton } from '../../patterns/ExportButton.tsx';
import { LiveControl } from '../../patterns/live/LiveControl.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { NoMatch } from '../../patterns/ListStates.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { ActiveFilters } from '../analytics/ActiveFilters.tsx';
import { withoutFilters } from '../analytics/analytics-search.ts';
import { NoClicks } from '../analytics/NoClicks.tsx';
import { CLICK_COLUMNS } from './click-columns.tsx';
import { clickFilterOf, matches } from './click-filter.ts';
import { ClickSheet } from './ClickSheet.tsx';
import type { LinkTabProps } from './link-tab-props.ts';
import { useLiveClicks } from './use-live-clicks.ts';

const route = getRouteApi('/w/$workspace/links/$id');

const WHO = [
  { value: '', label: t('All') },
  { value: 'people', label: t('People') },
  { value: 'bots', label: t('Bots') },
];

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
    // By ID, which starts with the time: the stream doesn't keep the order exactly.
    return [...came, ...list.data].toSorted((one, other) => (one.id < other.id ? 1 : -1));
  }, [list.data, live, search]);
  const liveIds = useMemo(() => new Set(live.map(({ id }) => id)), [live]);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Group gap="sm" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label={t('Type')}
          data={WHO}
          value={search.bot ?? ''}
          onChange={(value) => go({ bot: value === 'people' || value === 'bots' ? value : undefined })}
        />
        <ActiveFilters search={search} go={go} />
        <LiveControl
          state={state}
          paused={paused}
          onPause={(now) => {
            setPaused(now);
            // The list has the clicks that were missed while paused.
            if (!now) void list.refetch();
          }}
        />
        <Group ml="auto">
          <ExportButton path={clicksExportPath(link.id, filter)} fileName="clicks.csv" />
        </Group>
      </Group>
      <DataTable
        label={t('Clicks')}
        list={{ ...list, data: clicks }}
        columns={CLICK_COLUMNS}
        selected={search.click}
        fresh={({ id }) => liveIds.has(id)}
        link={sheetLink('click')}
        empty={
          isFiltered ? (
            <NoMatch
              clear={() => go({ bot: undefined, ...withoutFilters() })}
              further={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
            />
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
      <RecordSheet
        param="click"
        rows={clicks}
        single={(id) => clickQuery(workspace.id, link.id, id)}
        title={(click) => (
          <>
            {click.bot ? t('Bot') : t('Person')}, <RelativeTime at={click.created_at} />
          </>
        )}
      >
        {(click) => <ClickSheet click={click} />}
      </RecordSheet>
    </>
  );
}
