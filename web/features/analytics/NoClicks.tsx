/** The empty state of analytics: how to get the first click, or how to widen the search. */
import { Button } from '@mantine/core';
import { IconChartAreaLine } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import type { AnalyticsSearch, Change } from './analytics-search.ts';
import { getFilters, withoutFilters } from './analytics-search.ts';

interface NoClicksProps {
  /** Range and filters of the page, and a function to change them; absent for a list of all clicks. */
  search?: AnalyticsSearch;
  go?: (change: Change<AnalyticsSearch>) => void;
  /** A link to try; undefined if there is none yet. */
  shortUrl: string | undefined;
  /** Whether there have ever been clicks. */
  ever: boolean;
  action?: React.ReactNode;
}

const NO_SEARCH: AnalyticsSearch = {};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function NoClicks({ search = NO_SEARCH, go, shortUrl, ever, action }: NoClicksProps) {
  const filtered = Object.keys(getFilters(search)).length > 0;
  const farther = search.range === '90d' || search.range === 'custom' ? null : '90d';
  return (
    <EmptyList
      icon={IconChartAreaLine}
      title={filtered ? t('No clicks match') : ever ? t('No clicks in this range') : t('No clicks yet')}
      action={
        <>
          {filtered && go && (
            <Button size="xs" variant="default" onClick={() => go(withoutFilters())}>
              {t('Clear filters')}
            </Button>
          )}
          {farther && ever && go && (
            <Button size="xs" variant="default" onClick={() => go({ range: farther })}>
              {t('Show last 90 days')}
            </Button>
          )}
          {action}
        </>
      }
      {...(!filtered &&
        shortUrl !== undefined && {
          example: {
            label: t('Open the link in a browser or a terminal'),
            text: `curl -i ${quoted(shortUrl)}`,
          },
        })}
    >
      {filtered
        ? t('Try a different date range or clear the filters.')
        : t('Clicks appear here within a second, with location, device and referrer.')}
    </EmptyList>
  );
}
