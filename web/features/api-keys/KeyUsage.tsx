/** The API requests of one key over the last 7 days, and the way to each of them. */
import { Group, Title } from '@mantine/core';
import type { ApiKey } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { useFromClock } from '../../design/time.ts';
import { RequestUsageChart } from '../requests/RequestUsage.tsx';

const DAY_MS = 86_400_000;
const DAYS = 7;
const CHART_HEIGHT = 110;

export function KeyUsage({ apiKey }: { apiKey: ApiKey }) {
  const { workspace } = useWorkspace();
  const readsUsage = useCan('usage:read');
  const readsRequests = useCan('audit:read');
  const today = useFromClock((now) => Math.floor(now / DAY_MS) * DAY_MS);
  if (!readsUsage) return null;
  return (
    <section>
      <Group justify="space-between" mb={6}>
        <Title order={3}>{t('Requests in 7 days')}</Title>
        {readsRequests && (
          <TextLink
            to="/w/$workspace/requests"
            params={{ workspace: workspace.slug }}
            search={{ key: apiKey.id }}
          >
            {t('View requests')}
          </TextLink>
        )}
      </Group>
      <RequestUsageChart
        part
        height={CHART_HEIGHT}
        filter={{
          from: new Date(today - (DAYS - 1) * DAY_MS).toISOString(),
          interval: 'day',
          api_key_id: apiKey.id,
        }}
      />
    </section>
  );
}
