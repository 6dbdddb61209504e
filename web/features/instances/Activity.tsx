/** Messages of an instance in a range: received, sent and failed, and the failures by error code. */
import { Skeleton, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, type LinkProps } from '@tanstack/react-router';
import { IconChartBar } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { instanceActivityQuery } from '../../api/instances.ts';
import type { InstanceActivity } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, t } from '../../copy/text.ts';
import { CHART_COLORS } from '../../design/chart-colors.ts';
import { useFromClock } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import {
  currentInterval,
  type Range,
  rangeLabels,
  type RangeName,
  getRange,
  rangeStart,
} from '../../patterns/activity/activity-range.ts';
import { Bars } from '../../patterns/activity/Bars.tsx';
import { RangeControl } from '../../patterns/activity/RangeControl.tsx';
import { EmptyList, FailedList } from '../../patterns/ListStates.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { DataTable } from '../../patterns/table/DataTable.tsx';
import classes from './activity.module.css';

const route = getRouteApi('/w/$workspace/instances/$id');

const EVERY_MS = 30_000;

/** The span of the list of messages that holds the range. */
const SPANS: Record<RangeName, string> = { '24h': '1', '7d': '7', '30d': '30' };

export function Activity({ instanceId }: { instanceId: string }) {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const range = getRange(search.range);
  const from = useFromClock((now) => rangeStart(range, currentInterval(range, now)));
  const { data, error, refetch } = useQuery({
    ...instanceActivityQuery(workspace.id, instanceId, { from, interval: range.interval }),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
  return (
    <>
      <div className={classes.range}>
        <RangeControl
          value={search.range}
          onChange={(name) =>
            void navigate({ search: { tab: 'activity', ...(name && { range: name }) }, replace: true })
          }
        />
      </div>
      {data ? (
        <Counts activity={data} range={range} />
      ) : error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton h={200} />
      )}
    </>
  );
}

interface CountsProps {
  activity: InstanceActivity;
  range: Range;
}

function Counts({ activity, range }: CountsProps) {
  const { instance_id: id, totals, failures, data } = activity;
  if (totals.inbound + totals.outbound + totals.failed === 0)
    return (
      <EmptyList
        icon={IconChartBar}
        title={t('No messages in this time')}
        call={{ method: 'GET', path: `/instances/${id}/activity` }}
      >
        {t('Received, sent and failed messages are counted here for 31 days.')}
      </EmptyList>
    );
  const starts = data.map(({ start }) => start);
  const labels = rangeLabels(range);
  return (
    <>
      <dl className={classes.tiles}>
        <div className={ui.tile}>
          <dt>{t('Received')}</dt>
          <dd>
            {formatNumber(totals.inbound)}
            <Bars
              course={{ values: data.map(({ inbound }) => inbound), failed: null, starts }}
              labels={labels}
              color={CHART_COLORS.main}
              isTall
            />
          </dd>
        </div>
        <div className={ui.tile}>
          <dt>{t('Sent')}</dt>
          <dd>
            {formatNumber(totals.outbound)}{' '}
            {totals.failed > 0 && (
              <span className={classes.failed}>
                {t('{count} failed', { count: formatNumber(totals.failed) })}
              </span>
            )}
            <Bars
              course={{
                values: data.map(({ outbound }) => outbound),
                failed: data.map(({ failed }) => failed),
                starts,
              }}
              labels={labels}
              color={CHART_COLORS.main}
              isTall
            />
          </dd>
        </div>
      </dl>
      {failures.length > 0 && <Failures instanceId={id} failures={failures} range={range} />}
    </>
  );
}

interface Failure {
  id: string;
  count: number;
}

const COLUMNS: Column<Failure>[] = [
  {
    key: 'code',
    title: t('Error code'),
    render: ({ id }) => <span className={`${ui.mono} ${atoms.breaks}`}>{id}</span>,
  },
  {
    key: 'count',
    title: t('Messages'),
    width: 120,
    align: 'right',
    sorted: true,
    render: ({ count }) => formatNumber(count),
  },
];

interface FailuresProps {
  instanceId: string;
  failures: InstanceActivity['failures'];
  range: Range;
}

function Failures({ instanceId, failures, range }: FailuresProps) {
  const { workspace } = useWorkspace();
  const reads = useCan('messages:read');
  const link = (): LinkProps => ({
    to: '/w/$workspace/messages',
    params: { workspace: workspace.slug },
    search: { instance: instanceId, status: 'failed', since: SPANS[range.name] },
  });
  return (
    <>
      <Title order={2} mb={4}>
        {t('Failed messages')}
      </Title>
      <DataTable
        label={t('Failed messages')}
        list={{
          data: failures.map(({ code, count }) => ({ id: code, count })),
          error: null,
          isPending: false,
          refetch: () => undefined,
        }}
        columns={COLUMNS}
        empty={null}
        {...(reads && { link })}
      />
    </>
  );
}
