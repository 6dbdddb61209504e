/** Analytics of one link: clicks over time, by location, device and referrer. */
import { Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { analyticsAbout } from '../../api/analytics.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import analytics from '../analytics/analytics.module.css';
import { useAsked } from '../analytics/analytics-search.ts';
import { Breakdown } from '../analytics/Breakdown.tsx';
import { DESTINATIONS } from '../analytics/dimensions.ts';
import { ExportClicks } from '../analytics/ExportClicks.tsx';
import { NoClicks } from '../analytics/NoClicks.tsx';
import { RangePicker } from '../analytics/RangePicker.tsx';
import type { LinkTabProps } from './link-tab-props.ts';

const route = getRouteApi('/w/$workspace/links/$id');

export function LinkOverview({ link }: LinkTabProps) {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const go = (change: { [K in keyof typeof search]?: (typeof search)[K] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const about = { link_id: link.id };
  const asked = { ...about, ...useAsked(search) };
  // Refetches when the link's counters change.
  const counted = link.clicks + link.bot_clicks;
  const last = useRef(counted);
  useEffect(() => {
    if (last.current === counted) return;
    last.current = counted;
    void client.invalidateQueries({ queryKey: analyticsAbout(workspace.id, link.id) });
  }, [client, workspace.id, link.id, counted]);
  return (
    <>
      <div className={analytics.controls}>
        <RangePicker search={search} go={go} />
        <Group ml="auto">
          <ExportClicks asked={asked} />
        </Group>
      </div>
      <Breakdown
        about={about}
        search={search}
        go={go}
        cards={link.targeting.length > 0 ? [DESTINATIONS] : []}
        empty={<NoClicks search={search} go={go} shortUrl={link.short_url} ever={counted > 0} />}
      />
    </>
  );
}
