/** The course of a count as small bars; pointing at one shows its time and number. The total is beside them. */
import { formatNumber, t } from '../../copy/text.ts';
import { CHART_COLORS } from '../../design/chart-colors.ts';
import type { Measure } from './activity.ts';
import classes from './dashboard.module.css';

interface BarsProps {
  measure: Measure;
  labels: { short: (start: string) => string; long: (start: string) => string };
  color: string;
}

export function Bars({ measure: { values, failed, starts }, labels, color }: BarsProps) {
  const failedAt = (at: number): number => failed?.[at] ?? 0;
  const highest = Math.max(1, ...values.map((value, at) => value + failedAt(at)));
  const height = (value: number): string => `${(value / highest) * 100}%`;
  const [first, last] = [starts[0], starts.at(-1)];
  return (
    <div aria-hidden>
      <div className={classes.bars}>
        {values.map((value, at) => (
          <div
            key={starts[at]}
            data-tip={`${labels.long(starts[at] ?? '')}: ${formatNumber(value)}${
              failedAt(at) > 0 ? `, ${t('{count} failed', { count: formatNumber(failedAt(at)) })}` : ''
            }`}
          >
            <i style={{ height: height(failedAt(at)), background: CHART_COLORS.bad }} />
            <i style={{ height: height(value), background: color }} />
          </div>
        ))}
      </div>
      <div className={classes.axis}>
        <span>{first && labels.short(first)}</span>
        <span>{last && labels.short(last)}</span>
      </div>
    </div>
  );
}
