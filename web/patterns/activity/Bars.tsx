/** The course of a count as small bars; pointing at one shows its time and number. The total is beside them. */
import { formatNumber, t } from '../../copy/text.ts';
import { CHART_COLORS } from '../../design/chart-colors.ts';
import classes from './bars.module.css';

/** A count over time, with one value for each interval. */
export interface Course {
  values: readonly number[];
  /** Those that failed; null where all of them did or none can. */
  failed: readonly number[] | null;
  /** Starts of the intervals. */
  starts: readonly string[];
}

interface BarsProps {
  course: Course;
  labels: { short: (start: string) => string; long: (start: string) => string };
  color: string;
  /** Taller bars, for pages whose main content they are. */
  isTall?: boolean;
}

export function Bars({ course: { values, failed, starts }, labels, color, isTall = false }: BarsProps) {
  const failedAt = (at: number): number => failed?.[at] ?? 0;
  const highest = Math.max(1, ...values.map((value, at) => value + failedAt(at)));
  const height = (value: number): string => `${(value / highest) * 100}%`;
  const [first, last] = [starts[0], starts.at(-1)];
  return (
    <div aria-hidden>
      <div className={classes.bars} data-tall={isTall || undefined}>
        {values.map((value, at) => (
          <div
            key={starts[at]}
            data-tip={`${labels.long(starts[at] ?? '')}: ${formatNumber(value)}${
              failedAt(at) > 0 ? `, ${t('{count} failed', { count: formatNumber(failedAt(at)) })}` : ''
            }`}
          >
            {failedAt(at) > 0 && (
              <i
                className={classes.failed}
                style={{ height: height(failedAt(at)), background: CHART_COLORS.bad }}
              />
            )}
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
