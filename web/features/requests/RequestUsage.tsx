/** How many API requests there were in each hour or day, and how many of them failed. */
import { Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { requestUsageQuery, type RequestUsageFilter } from '../../api/requests.ts';
import type { RequestUsage } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { plural, t } from '../../copy/text.ts';
import { BarChart } from '../../design/BarChart.tsx';
import { CHART_COLORS } from '../../design/chart-colors.ts';
import { intervalLabels } from '../../design/interval-text.ts';
import { FailedList } from '../../patterns/ListStates.tsx';
import { formatDuration } from '../../design/duration-text.ts';
import atoms from '../../design/atoms.module.css';
import classes from './requests.module.css';

const EVERY_MS = 10_000;

interface RequestUsageChartProps {
  filter: RequestUsageFilter;
  /** Pixels. */
  height: number;
  /** Draws no successful requests. */
  errorsOnly?: boolean;
  /** In a sheet: without outer margin. */
  part?: boolean;
}

export function RequestUsageChart(props: RequestUsageChartProps) {
  const { filter, height, part = false, errorsOnly = false } = props;
  const { workspace } = useWorkspace();
  const { data, error, refetch } = useQuery({
    ...requestUsageQuery(workspace.id, filter),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
  if (error && !data) return <FailedList error={error} retry={() => void refetch()} />;
  return (
    <div className={`${classes.usage} ${part ? classes.part : ''}`}>
      {data ? (
        <Drawing usage={data} height={height} errorsOnly={errorsOnly} />
      ) : (
        <>
          <div className={classes.usageHead} />
          <Skeleton h={height} />
        </>
      )}
    </div>
  );
}

interface DrawingProps extends Pick<RequestUsageChartProps, 'height'> {
  usage: RequestUsage;
  errorsOnly: boolean;
}

function Drawing({ usage, height, errorsOnly }: DrawingProps) {
  const { totals, data, from, to, interval } = usage;
  const labels = useMemo(
    // Days are in UTC.
    () => intervalLabels(interval, interval === 'day' ? 'UTC' : undefined, Date.parse(to) - Date.parse(from)),
    [interval, from, to],
  );
  const requests = plural(totals.requests, { one: '{count} request', other: '{count} requests' });
  const errors = plural(totals.errors, { one: '{count} error', other: '{count} errors' });
  return (
    <>
      <div className={classes.usageHead}>
        <span className={atoms.rowTight}>
          <i className={atoms.swatch} style={{ background: CHART_COLORS.main }} />
          {requests}
        </span>
        <span className={atoms.rowTight}>
          <i className={atoms.swatch} style={{ background: CHART_COLORS.bad }} />
          {errors}
        </span>
        {totals.average_duration_ms !== null && (
          <span>{t('{duration} on average', { duration: formatDuration(totals.average_duration_ms) })}</span>
        )}
      </div>
      <BarChart
        label={t('API requests over time: {requests}, {errors}', { requests, errors })}
        height={height}
        starts={data.map(({ start }) => start ?? '')}
        series={[
          ...(errorsOnly
            ? []
            : [
                {
                  label: t('Succeeded'),
                  color: CHART_COLORS.main,
                  values: data.map((item) => item.requests - item.errors),
                },
              ]),
          { label: t('Errors'), color: CHART_COLORS.bad, values: data.map((item) => item.errors) },
        ]}
        labels={labels}
        table
      />
    </>
  );
}
