/** The clicks on a link in real time, newest first. */
import { Box } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { t } from '../../copy/text.ts';
import { clickQuery, clicksCall, clicksExportPath, clicksQuery } from '../../api/analytics.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import type { Filter } from '../../patterns/list/filter.ts';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { ExportButton } from '../../patterns/ExportButton.tsx';
import { LiveLog } from '../../patterns/live/LiveLog.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import type { Dimension } from '../analytics/analytics-params.ts';
import { type AnalyticsSearch, getFilters } from '../analytics/analytics-search.ts';
import { DIMENSION_TEXTS, valueName } from '../analytics/dimensions.ts';
import { NoClicks } from '../analytics/NoClicks.tsx';
import { clickColumns } from './click-columns.tsx';
import { getClickFilter, matches } from './click-filter.ts';
import { ClickSheet } from './ClickSheet.tsx';
import type { LinkTabProps } from './link-tab-props.ts';
import { useLiveClicks } from './use-live-clicks.ts';

const route = getRouteApi('/w/$workspace/links/$id');

const TYPES: Filter = {
  key: 'bot',
  label: t('Type'),
  kind: 'choice',
  options: [
    { value: 'people', label: t('People') },
    { value: 'bots', label: t('Bots') },
  ],
};

/** Returns the filters that were chosen in the analytics, whose charts offer their values. */
const dimensionFilters = (search: AnalyticsSearch): Filter[] =>
  (Object.entries(getFilters(search)) as [Dimension, string][]).map(([key, value]) => ({
    key,
    label: DIMENSION_TEXTS[key].one,
    kind: 'choice',
    options: [{ value, label: valueName(key, value) }],
  }));

export function LinkClicks({ link }: LinkTabProps) {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const [paused, setPaused] = useState(false);
  const filter = getClickFilter(search);
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
  return (
    <>
      <LiveLog
        part
        name="clicks"
        title={t('Clicks')}
        list={{ ...list, data: clicks }}
        columns={clickColumns(link.targeting.length > 0)}
        selected={search.click}
        fresh={({ id }) => liveIds.has(id)}
        link={sheetLink('click')}
        filters={[TYPES, ...dimensionFilters(search)]}
        buttons={<ExportButton path={clicksExportPath(link.id, filter)} fileName="clicks.csv" />}
        live={{
          state,
          paused,
          onPause: (now) => {
            setPaused(now);
            // The list has the clicks that were missed while paused.
            if (!now) void list.refetch();
          },
        }}
        empty={<NoClicks shortUrl={link.short_url} ever={link.clicks + link.bot_clicks > 0} />}
      />
      <Box pt="xs">
        <AsCurl call={clicksCall(link.id, filter)} />
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
