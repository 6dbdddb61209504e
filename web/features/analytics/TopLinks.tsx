/** The links with the most clicks by people. Each opens its analytics of the same range. */
import { Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { t } from '../../copy/text.ts';
import {
  type AnalyticsItem,
  analyticsExportPath,
  type AnalyticsQuery,
  analyticsQuery,
} from '../../api/analytics.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { shownAddress } from '../../design/addresses.ts';
import { ExportButton } from '../../patterns/ExportButton.tsx';
import { FailedList } from '../../patterns/ListStates.tsx';
import ui from '../../design/ui.module.css';
import { type AnalyticsSearch, carried } from './analytics-search.ts';
import { LoadingRows } from './RankingCard.tsx';
import { RankingList } from './RankingList.tsx';
import classes from './analytics.module.css';
import ranking from './ranking.module.css';

const SHOWN = 50;
const EXPORTED = 1000;

interface TopLinksProps {
  asked: AnalyticsQuery;
  search: AnalyticsSearch;
  refetchMs: number;
}

export function TopLinks({ asked, search, refetchMs }: TopLinksProps) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const query: AnalyticsQuery = { ...asked, group_by: 'link', limit: SHOWN };
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...analyticsQuery(workspace.id, query),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
  const open = (id: string) =>
    void navigate({
      to: '/w/$workspace/links/$id',
      params: { workspace: workspace.slug, id },
      search: carried(search),
    });
  return (
    <section className={classes.card} aria-busy={isPlaceholderData}>
      <div className={classes.cardHead}>
        <Title order={2} size="h3">
          {t('Top links')}
        </Title>
        <ExportButton
          small
          label={t('Export top links')}
          path={analyticsExportPath({ ...query, limit: EXPORTED })}
          fileName="clicks-by-link.csv"
        />
      </div>
      {data ? (
        <>
          <RankingList
            label={t('Top links')}
            total={data.totals.clicks}
            rows={data.data.map((item) => ({
              key: item.value ?? '',
              label: <LinkLabel item={item} />,
              clicks: item.clicks,
              before: item.previous?.clicks,
              choose: item.link ? () => open(item.link!.id) : undefined,
              chosen: false,
            }))}
          />
          {!data.complete && (
            <p className={classes.dimmed}>
              {t('Only the 2,000 links with the most clicks of all time are ranked.')}
            </p>
          )}
        </>
      ) : error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingRows label={t('Loading top links')} />
      )}
    </section>
  );
}

function LinkLabel({ item: { link, value } }: { item: AnalyticsItem }) {
  if (!link) return <span className={ui.mono}>{value}</span>;
  return (
    <>
      <bdi className={ui.mono}>{shownAddress(link.short_url)}</bdi>{' '}
      <bdi className={ranking.about}>{link.title ?? link.url.replace(/^https?:\/\//, '')}</bdi>
    </>
  );
}
