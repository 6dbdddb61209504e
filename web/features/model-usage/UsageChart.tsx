/** Calls, tokens or cost of each day. */
import { SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { ModelUsage } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { BarChart, type BarSeries } from '../../design/BarChart.tsx';
import { CHART_COLORS } from '../../design/chart-colors.ts';
import { formatRange, intervalLabels } from '../../design/interval-text.ts';
import { formatUsd } from '../budgets/budget-text.ts';
import atoms from '../../design/atoms.module.css';
import classes from './model-usage.module.css';

type Metric = 'calls' | 'tokens' | 'cost';

const METRICS: { value: Metric; label: string }[] = [
  { value: 'calls', label: t('Calls') },
  { value: 'tokens', label: t('Tokens') },
  { value: 'cost', label: t('Cost') },
];

const HEIGHT = 230;

function getSeries(metric: Metric, data: ModelUsage['data']): BarSeries[] {
  if (metric === 'cost')
    return [{ label: t('Cost'), color: CHART_COLORS.main, values: data.map(({ cost_usd: cost }) => cost) }];
  if (metric === 'tokens')
    return [
      { label: t('Input'), color: CHART_COLORS.main, values: data.map((day) => day.input_tokens) },
      { label: t('Output'), color: CHART_COLORS.before, values: data.map((day) => day.output_tokens) },
    ];
  return [
    { label: t('Succeeded'), color: CHART_COLORS.main, values: data.map((day) => day.calls - day.failures) },
    { label: t('Failed'), color: CHART_COLORS.bad, values: data.map((day) => day.failures) },
  ];
}

export function UsageChart({ usage }: { usage: ModelUsage }) {
  const [metric, setMetric] = useState<Metric>('calls');
  const { data, from, to } = usage;
  const labels = useMemo(() => intervalLabels('day', 'UTC', Date.parse(to) - Date.parse(from)), [from, to]);
  const series = getSeries(metric, data);
  const name = METRICS.find(({ value }) => value === metric)?.label ?? metric;
  return (
    <section className={classes.card}>
      <div className={classes.cardHead}>
        <SegmentedControl
          size="xs"
          aria-label={t('Chart')}
          data={METRICS}
          value={metric}
          onChange={setMetric}
        />
        <span className={classes.legend}>
          {series.map(({ label, color }) => (
            <span key={label} className={atoms.rowTight}>
              <i className={atoms.swatch} style={{ background: color }} />
              {label}
            </span>
          ))}
        </span>
      </div>
      <BarChart
        label={t('{metric} by day, {range}', { metric: name, range: formatRange({ from, to }, 'UTC') })}
        height={HEIGHT}
        starts={data.map(({ start }) => start ?? '')}
        series={series}
        labels={labels}
        format={metric === 'cost' ? formatUsd : undefined}
        table
      />
    </section>
  );
}
