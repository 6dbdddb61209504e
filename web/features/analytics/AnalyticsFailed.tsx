/** The error state of analytics. If the range is too long, offers shorter ones. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconHourglassOff } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import { ApiProblem } from '../../api/problem.ts';
import { FailedList } from '../../patterns/ListStates.tsx';
import ui from '../../design/ui.module.css';
import { type AnalyticsSearch, type Change, getFilters, withoutFilters } from './analytics-search.ts';

interface AnalyticsFailedProps {
  error: unknown;
  retry: () => void;
  search: AnalyticsSearch;
  go: (change: Change<AnalyticsSearch>) => void;
}

export function AnalyticsFailed({ error, retry, search, go }: AnalyticsFailedProps) {
  if (!(error instanceof ApiProblem) || error.code !== 'range_too_long')
    return <FailedList error={error} retry={retry} />;
  const filtered = Object.keys(getFilters(search)).length > 0;
  return (
    <Alert
      variant="light"
      color="gray"
      role="alert"
      maw={640}
      className={ui.notice}
      icon={<IconHourglassOff size={16} />}
      title={t('Too many clicks to count')}
    >
      <Text>{error.message}</Text>
      <Group gap="xs" mt="sm">
        {search.range !== '7d' && search.range !== '24h' && (
          <Button
            size="xs"
            variant="default"
            onClick={() => go({ range: '7d', from: undefined, to: undefined })}
          >
            {t('Last 7 days')}
          </Button>
        )}
        {search.range !== '24h' && (
          <Button
            size="xs"
            variant="default"
            onClick={() => go({ range: '24h', from: undefined, to: undefined })}
          >
            {t('Last 24 hours')}
          </Button>
        )}
        {filtered && (
          <Button size="xs" variant="default" onClick={() => go(withoutFilters())}>
            {t('Clear filters')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
