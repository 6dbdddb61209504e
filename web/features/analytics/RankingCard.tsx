/** Rankings by dimension, one tab each. Selecting a value filters the page by it. */
import { Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import {
  type Analytics,
  analyticsExportPath,
  type AnalyticsQuery,
  analyticsQuery,
} from '../../api/analytics.ts';
import { serverStatusQuery } from '../../api/server-status.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ExportButton } from '../../patterns/ExportButton.tsx';
import { FailedList } from '../../patterns/ListStates.tsx';
import type { AnalyticsSearch, Change } from './analytics-search.ts';
import type { Dimension } from './analytics-params.ts';
import { countryFlag } from './places.ts';
import { OTHERS, valueName, DIMENSION_TEXTS } from './dimensions.ts';
import { RankingList, type RankingRow } from './RankingList.tsx';
import classes from './analytics.module.css';

/** The export has more rows than the page. */
const MAX_SHOWN = 100;
const MAX_EXPORTED = 1000;

interface RankingCardProps {
  title: string;
  dimensions: Dimension[];
  asked: AnalyticsQuery;
  search: AnalyticsSearch;
  go: (change: Change<AnalyticsSearch>) => void;
  refetchMs: number | undefined;
}

export function RankingCard({ title, dimensions, asked, search, go, refetchMs }: RankingCardProps) {
  const { workspace } = useWorkspace();
  const [by, setBy] = useState(dimensions[0]!);
  const query: AnalyticsQuery = { ...asked, group_by: by, limit: MAX_SHOWN };
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...analyticsQuery(workspace.id, query),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs ?? false,
  });
  const isPlace = by === 'country' || by === 'city';
  const { data: server } = useQuery({ ...serverStatusQuery, enabled: isPlace });
  const lacksCountries = isPlace && server?.locates_clicks === false;
  const lacksCities = by === 'city' && !lacksCountries && server?.locates_cities === false;
  const rows = (answer: Analytics): RankingRow[] =>
    answer.data.map(({ value, clicks, previous }) => ({
      key: value ?? '',
      label: (
        <>
          {by === 'country' && value !== null && <span aria-hidden>{countryFlag(value)} </span>}
          <bdi>{valueName(by, value)}</bdi>
        </>
      ),
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
        <Title order={2} size="h3">
          {title}
        </Title>
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
                  {DIMENSION_TEXTS[name].many}
                </Tabs.Tab>
              ))}
            </Tabs.List>
          </Tabs>
        )}
        <ExportButton
          small
          label={t('Export {label}', { label: DIMENSION_TEXTS[by].many })}
          path={analyticsExportPath({ ...query, limit: MAX_EXPORTED })}
          fileName={`clicks-by-${by}.csv`}
        />
      </div>
      {/* The placeholder data may belong to another tab. */}
      {data && data.group_by === by ? (
        <>
          <RankingList
            key={by}
            label={DIMENSION_TEXTS[by].many}
            rows={rows(data)}
            total={data.totals.clicks}
          />
          {(lacksCountries || lacksCities) && (
            <Text size="xs" c="dimmed" mt="xs">
              {lacksCities
                ? t('Cities need a GeoIP database: set GEOIP_DB on the server.')
                : t('Clicks have no location: GEOIP_DB is off on the server.')}
            </Text>
          )}
        </>
      ) : error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingRows label={t('Loading {label}', { label: DIMENSION_TEXTS[by].many })} />
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
