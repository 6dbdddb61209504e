/** Rankings of some dimensions, one at a time; a click on a value narrows the page to it. */
import { Skeleton, Stack, Tabs, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Analytics,
  analyticsExportPath,
  type AnalyticsQuery,
  analyticsQuery,
} from '../../api/analytics.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ExportButton } from '../../ui/ExportButton.tsx';
import { FailedList } from '../../ui/ListStates.tsx';
import type { AnalyticsSearch, Change } from './analytics-search.ts';
import type { Dimension } from './analytics-params.ts';
import { OTHERS, valueName, WORDS } from './dimensions.ts';
import { RankingList, type RankingRow } from './RankingList.tsx';
import classes from './analytics.module.css';

/** Values that are shown at most; the export has more. */
const SHOWN = 100;
const EXPORTED = 1000;

interface RankingCardProps {
  title: string;
  dimensions: Dimension[];
  asked: AnalyticsQuery;
  search: AnalyticsSearch;
  go: (change: Change<AnalyticsSearch>) => void;
  refetchMs: number | undefined;
}

const compared = (search: AnalyticsSearch): Partial<AnalyticsQuery> =>
  search.compare ? { compare: 'previous_period' } : {};

export function RankingCard({ title, dimensions, asked, search, go, refetchMs }: RankingCardProps) {
  const { workspace } = useWorkspace();
  const [by, setBy] = useState(dimensions[0]!);
  const query: AnalyticsQuery = { ...asked, ...compared(search), group_by: by, limit: SHOWN };
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...analyticsQuery(workspace.id, query),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs ?? false,
  });
  const rows = (answer: Analytics): RankingRow[] =>
    answer.data.map(({ value, clicks, previous }) => ({
      key: value ?? '',
      label: <bdi>{valueName(by, value)}</bdi>,
      clicks,
      before: previous?.clicks,
      choose:
        value === OTHERS
          ? undefined
          : () => go({ [by]: search[by] === (value ?? '') ? undefined : (value ?? '') }),
      chosen: search[by] === (value ?? ''),
    }));
  return (
    <section className={classes.card} aria-busy={isPlaceholderData}>
      <div className={classes.cardHead}>
        <Title order={3}>{title}</Title>
        {dimensions.length > 1 && (
          <Tabs
            value={by}
            onChange={(name) => setBy(dimensions.find((one) => one === name) ?? by)}
            variant="pills"
            className={classes.tabsRoot}
          >
            <Tabs.List className={classes.tabs} aria-label={title}>
              {dimensions.map((name) => (
                <Tabs.Tab key={name} value={name}>
                  {WORDS[name].many}
                </Tabs.Tab>
              ))}
            </Tabs.List>
          </Tabs>
        )}
        <ExportButton
          small
          label={`Export ${WORDS[by].many.toLowerCase()}`}
          path={analyticsExportPath({ ...query, limit: EXPORTED })}
          fileName={`clicks-by-${by}.csv`}
        />
      </div>
      {/* What another tab showed is not this one's. */}
      {data && data.group_by === by ? (
        <RankingList key={by} label={WORDS[by].many} rows={rows(data)} total={data.totals.clicks} />
      ) : error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingRows label={`Loading ${WORDS[by].many.toLowerCase()}`} />
      )}
    </section>
  );
}

export function LoadingRows({ label }: { label: string }) {
  return (
    <Stack gap={8} role="status" aria-label={label}>
      {[90, 64, 52, 38, 20].map((width) => (
        <Skeleton key={width} h={22} w={`${width}%`} />
      ))}
    </Stack>
  );
}
