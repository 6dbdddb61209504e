/**
 * Counts over time as bars, one per interval, with series stacked on each other. Screen readers get the sentence of
 * `label`, and the numbers as a table where the page doesn't show one.
 */
import { VisuallyHidden } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useState } from 'react';
import { formatNumber, language, t } from '../copy/text.ts';
import { highestBar, labeledIntervals, niceTicks } from './chart-scale.ts';
import classes from './bar-chart.module.css';

export interface BarSeries {
  label: string;
  color: string;
  /** One for each interval. */
  values: readonly number[];
}

interface BarChartProps {
  /** Describes the chart, with its totals. */
  label: string;
  /** Starts of all intervals in order, RFC 3339. */
  starts: readonly string[];
  /** From the bottom of the bars to their top. */
  series: readonly BarSeries[];
  /** Drawn as a mark across each bar. */
  mark?: BarSeries | undefined;
  labels: { short: (start: string) => string; long: (start: string) => string };
  /** Pixels, with the labels. */
  height: number;
  /** Adds the numbers as a table for screen readers. */
  table?: boolean;
  /** Writes a value; by default as a whole number. With it, the axis may have fractions. */
  format?: ((value: number) => string) | undefined;
  className?: string | undefined;
}

/** Pixels that a label of the time axis takes. */
const LABEL_WIDTH = 76;
const MARK_HEIGHT = 2;

const compact = new Intl.NumberFormat(language, { notation: 'compact' });
const percent = (part: number, whole: number): string => `${(part / whole) * 100}%`;

export function BarChart(props: BarChartProps) {
  const { label, starts, series, mark, labels, height, table = false, format, className } = props;
  const written = format ?? formatNumber;
  const { ref, width } = useElementSize();
  const [pointed, setPointed] = useState<number | null>(null);
  const ticks = niceTicks(
    highestBar(
      series.map(({ values }) => values),
      mark?.values,
    ),
    format !== undefined,
  );
  const top = ticks.at(-1)!;
  const count = starts.length;
  const start = pointed === null ? undefined : starts[pointed];
  return (
    <div className={className}>
      <div className={classes.chart} role="img" aria-label={label} style={{ height }}>
        <div className={classes.counts} aria-hidden>
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: percent(tick, top) }}>
              {(format ?? compact.format)(tick)}
            </span>
          ))}
        </div>
        <div
          ref={ref}
          className={classes.plot}
          onPointerMove={({ clientX, currentTarget }) => {
            const box = currentTarget.getBoundingClientRect();
            const at = Math.floor(((clientX - box.left) / box.width) * count);
            setPointed(at >= 0 && at < count ? at : null);
          }}
          onPointerLeave={() => setPointed(null)}
        >
          {ticks.map((tick) => (
            <div key={tick} className={classes.grid} style={{ bottom: percent(tick, top) }} />
          ))}
          {pointed !== null && (
            <div
              className={classes.pointed}
              style={{ left: percent(pointed, count), width: percent(1, count) }}
            />
          )}
          <svg className={classes.bars} viewBox={`0 0 ${count} ${top}`} preserveAspectRatio="none">
            {series.map(({ label: name, color }, layer) => (
              <path key={name} d={barPath(series, layer, top)} style={{ fill: color }} />
            ))}
          </svg>
          {mark?.values.map((value, at) => (
            <div
              key={starts[at]}
              className={classes.mark}
              style={{
                left: percent(at, count),
                width: percent(1, count),
                bottom: `calc(${percent(value, top)} - ${MARK_HEIGHT / 2}px)`,
                background: mark.color,
              }}
            />
          ))}
          {start !== undefined && pointed !== null && (
            <div
              className={classes.tip}
              // Beside its bar, where there is more room.
              style={
                pointed < count / 2
                  ? { left: percent(pointed + 1, count) }
                  : { right: percent(count - pointed, count) }
              }
            >
              <strong>{labels.long(start)}</strong>
              {[...series, ...(mark ? [mark] : [])].map(({ label: name, color, values }) => (
                <span key={name}>
                  <i style={{ background: color }} />
                  {name}
                  <b>{written(values[pointed] ?? 0)}</b>
                </span>
              ))}
            </div>
          )}
        </div>
        <div className={classes.times} aria-hidden>
          {labeledIntervals(count, Math.floor(width / LABEL_WIDTH)).map((at) => (
            <span
              key={starts[at]}
              style={{ left: percent(at + 0.5, count) }}
              data-first={(at === 0 && width / count < LABEL_WIDTH) || undefined}
              data-last={(at === count - 1 && width / count < LABEL_WIDTH) || undefined}
            >
              {labels.short(starts[at]!)}
            </span>
          ))}
        </div>
      </div>
      {table && (
        <VisuallyHidden>
          <table>
            <caption>{label}</caption>
            <thead>
              <tr>
                <th scope="col">{t('Time')}</th>
                {series.map(({ label: name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {starts.map((one, at) => (
                <tr key={one}>
                  <th scope="row">{labels.long(one)}</th>
                  {series.map(({ label: name, values }) => (
                    <td key={name}>{written(values[at] ?? 0)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </VisuallyHidden>
      )}
    </div>
  );
}

/** Part of an interval that its bar takes. */
const BAR_WIDTH = 0.72;
/** Part of the chart's height that a bar has at least: one among thousands would be invisible. */
const MIN_HEIGHT = 0.015;

/** Returns the bars of one series as a path in units of intervals and counts. */
function barPath(series: readonly BarSeries[], layer: number, top: number): string {
  const below = series.slice(0, layer);
  return (series[layer]?.values ?? [])
    .map((value, at) => {
      if (value === 0) return '';
      const base = below.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
      return `M${at + (1 - BAR_WIDTH) / 2} ${top - base}h${BAR_WIDTH}v${-Math.max(value, top * MIN_HEIGHT)}h${-BAR_WIDTH}z`;
    })
    .join('');
}
