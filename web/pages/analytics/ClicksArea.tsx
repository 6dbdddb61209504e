/** The drawing of clicks over time. Apart, so that a page is there before what draws it is loaded. */
import '@mantine/charts/styles.layer.css';
import { AreaChart } from '@mantine/charts';
import type { AnalyticsItem } from '../../api/analytics.ts';
import { numberOf } from '../links/link-text.ts';
import { CHART_HEIGHT, SERIES, type SeriesName } from './series.ts';

interface ClicksAreaProps {
  items: AnalyticsItem[];
  shown: SeriesName[];
  /** Of the beginning of an interval. */
  shortLabel: (start: string) => string;
  longLabel: (start: string) => string;
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' });

export default function ClicksArea({ items, shown, shortLabel, longLabel }: ClicksAreaProps) {
  const data = items.map(({ start, clicks, bot_clicks: bots, previous }) => ({
    start: start ?? '',
    people: clicks,
    bots: bots ?? 0,
    before: previous?.clicks ?? 0,
  }));
  return (
    <AreaChart
      h={CHART_HEIGHT}
      data={data}
      dataKey="start"
      series={SERIES.filter(({ name }) => shown.includes(name))}
      curveType="monotone"
      withDots={false}
      withGradient
      strokeWidth={1.75}
      gridAxis="x"
      tickLine="none"
      strokeDasharray="3 4"
      valueFormatter={numberOf}
      areaProps={({ name }) => ({ isAnimationActive: false, ...(name === 'before' && { fillOpacity: 0 }) })}
      // Its table is for keys; what is drawn is for the pointer.
      areaChartProps={{ accessibilityLayer: false, margin: { top: 8, right: 8, bottom: 0, left: 0 } }}
      xAxisProps={{ tickFormatter: shortLabel, minTickGap: 28, tickMargin: 8 }}
      yAxisProps={{
        allowDecimals: false,
        width: 38,
        tickFormatter: (value: number) => compact.format(value),
      }}
      tooltipAnimationDuration={0}
      // It is asked for a name also where nothing is pointed at.
      tooltipProps={{
        labelFormatter: (label: unknown) => (typeof label === 'string' ? longLabel(label) : ''),
      }}
    />
  );
}
