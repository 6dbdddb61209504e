/** Totals, clicks over time and rankings of a range, of one link or of all links that `about` selects. */
import { Skeleton, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import { analyticsCall, type AnalyticsQuery, analyticsQuery } from '../../api/analytics.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { ActiveFilters } from './ActiveFilters.tsx';
import { AnalyticsFailed } from './AnalyticsFailed.tsx';
import { type AnalyticsSearch, type Change, useAsked } from './analytics-search.ts';
import { ClicksOverTime } from './ClicksOverTime.tsx';
import { type Card, CARDS } from './dimensions.ts';
import { RankingCard } from './RankingCard.tsx';
import { Totals } from './Totals.tsx';
import classes from './analytics.module.css';

interface BreakdownProps {
  about: Pick<AnalyticsQuery, 'link_id' | 'domain' | 'tag'>;
  search: AnalyticsSearch;
  go: (change: Change<AnalyticsSearch>) => void;
  /** Milliseconds between two polls; absent if the caller refetches. */
  refetchMs?: number;
  /** Shown instead if there are no clicks. */
  empty: React.ReactNode;
  /** Shown before the rankings. */
  first?: (asked: AnalyticsQuery) => React.ReactNode;
  /** Rankings before those that all pages have. */
  cards?: readonly Card[];
}

export function Breakdown({ about, search, go, refetchMs, empty, first, cards }: BreakdownProps) {
  const { workspace } = useWorkspace();
  const asked: AnalyticsQuery = { ...about, ...useAsked(search) };
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...analyticsQuery(workspace.id, asked),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs ?? false,
  });
  const failed = error !== null && (!data || isPlaceholderData);
  if (failed)
    return (
      <Stack gap="md">
        <ActiveFilters search={search} go={go} />
        <AnalyticsFailed error={error} retry={() => void refetch()} search={search} go={go} />
      </Stack>
    );
  const nothing = data !== undefined && data.totals.clicks + data.totals.bot_clicks === 0;
  return (
    <Stack gap="md" className={isPlaceholderData ? atoms.stale : undefined} aria-busy={isPlaceholderData}>
      <ActiveFilters search={search} go={go} />
      {nothing && !isPlaceholderData ? (
        empty
      ) : (
        <>
          <Totals answer={data} compared={search.compare ?? false} />
          {data ? (
            <ClicksOverTime answer={data} />
          ) : (
            <Skeleton h={330} role="status" aria-label={t('Loading clicks over time')} />
          )}
          <div className={classes.cards}>
            {first?.(asked)}
            {[...(cards ?? []), ...CARDS].map((card) => (
              <RankingCard
                key={card.title}
                {...card}
                asked={asked}
                search={search}
                go={go}
                refetchMs={refetchMs}
              />
            ))}
          </div>
        </>
      )}
      <AsCurl call={analyticsCall(asked)} />
    </Stack>
  );
}
