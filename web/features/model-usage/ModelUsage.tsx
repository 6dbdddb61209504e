/** Usage of models over time and by key, model, provider or route. */
import { Box, Skeleton, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconChartBar } from '@tabler/icons-react';
import { useMemo } from 'react';
import atoms from '../../design/atoms.module.css';
import { modelProviderNameQuery, modelProviderOptionsQuery } from '../../api/model-providers.ts';
import { modelRouteOptionsQuery } from '../../api/model-routes.ts';
import { modelOptionsQuery } from '../../api/models.ts';
import { modelUsageExportPath, modelUsagePath, modelUsageQuery } from '../../api/model-usage.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { PageHeader } from '../../design/PageHeader.tsx';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { ExportButton } from '../../patterns/ExportButton.tsx';
import type { Filter } from '../../patterns/list/filter.ts';
import { FilterChip } from '../../patterns/list/FilterChip.tsx';
import { EmptyList, FailedList } from '../../patterns/ListStates.tsx';
import { apiKeyFilter } from '../../patterns/list/key-filter.ts';
import classes from './model-usage.module.css';
import { RecentCalls } from './RecentCalls.tsx';
import { RangePicker } from './RangePicker.tsx';
import { UsageChart } from './UsageChart.tsx';
import { UsageTable } from './UsageTable.tsx';
import { UsageTotals } from './UsageTotals.tsx';
import { useUsageQuery } from './usage-search.ts';

const route = getRouteApi('/w/$workspace/model-usage');

const FIRST_CALL = {
  method: 'POST',
  path: '/chat/completions',
  body: { model: 'fairlead/echo', messages: [{ role: 'user', content: 'Hello!' }] },
} as const;

export function ModelUsage() {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const go = (change: { [K in keyof typeof search]?: (typeof search)[K] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const filters = useFilters();
  const readsCalls = useCan('audit:read');
  const query = useUsageQuery(search);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...modelUsageQuery(workspace.id, query),
    placeholderData: keepPreviousData,
  });
  const isFiltered = filters.some(({ key }) => search[key] !== undefined);
  const isEmpty = data?.totals.calls === 0 && !isPlaceholderData;
  return (
    <>
      <PageHeader
        title={t('Model usage')}
        description={t('Calls, tokens, cost and latency of your models, by UTC day.')}
      >
        {!isEmpty && <ExportButton path={modelUsageExportPath(query)} fileName="model-usage-by-day.csv" />}
      </PageHeader>
      <div className={classes.controls}>
        <RangePicker search={search} go={go} />
        {filters.map((filter) => (
          <FilterChip
            key={filter.key}
            filter={filter}
            value={search[filter.key]}
            onChange={(value) => go({ [filter.key]: value === true ? undefined : value })}
          />
        ))}
      </div>
      {error && !data ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : isEmpty ? (
        <EmptyList
          icon={IconChartBar}
          title={isFiltered ? t('No calls match') : t('No model calls in this range')}
          {...(!isFiltered && { call: FIRST_CALL })}
        >
          {isFiltered
            ? t('Try a different date range or clear the filters.')
            : t('Calls appear here when they end, with their tokens, cost and latency.')}
        </EmptyList>
      ) : (
        <Stack gap="md" aria-busy={isPlaceholderData} className={isPlaceholderData ? atoms.stale : ''}>
          <UsageTotals totals={data?.totals} />
          {data ? <UsageChart usage={data} /> : <Skeleton h={300} />}
          <UsageTable search={search} query={query} go={go} />
        </Stack>
      )}
      {readsCalls && <RecentCalls selected={search.call} />}
      {!isEmpty && (
        <Box pt="xs">
          <AsCurl
            call={[
              { method: 'GET', path: modelUsagePath(query) },
              ...(readsCalls ? [{ method: 'GET', path: '/model-calls' } as const] : []),
            ]}
          />
        </Box>
      )}
    </>
  );
}

function useFilters(): (Filter & { key: 'key' | 'model' | 'provider' | 'route' })[] {
  const { workspace } = useWorkspace();
  const readsKeys = useCan('api_keys:read');
  const readsProviders = useCan('providers:read');
  const { id } = workspace;
  return useMemo(() => {
    const key = { ...apiKeyFilter(id), key: 'key' as const };
    const model = {
      kind: 'lookup' as const,
      key: 'model' as const,
      label: t('Model'),
      options: (text: string) => modelOptionsQuery(id, text),
    };
    const ofProviders = [
      {
        kind: 'lookup' as const,
        key: 'provider' as const,
        label: t('Provider'),
        options: (text: string) => modelProviderOptionsQuery(id, text),
        labelFor: (provider: string) => modelProviderNameQuery(id, provider),
      },
      {
        kind: 'lookup' as const,
        key: 'route' as const,
        label: t('Route'),
        options: (text: string) => modelRouteOptionsQuery(id, text),
      },
    ];
    return [...(readsKeys ? [key] : []), model, ...(readsProviders ? ofProviders : [])];
  }, [id, readsKeys, readsProviders]);
}
