/** Attempts of the last 24 hours as stacked bars, one per hour: successes below, failures on top. */
import { formatNumber, language, t } from '../../copy/text.ts';
import type { WebhookHealth } from '../../api/types.ts';
import classes from './webhooks.module.css';

/** Units of the SVG's view box. */
const BAR = 4;
const GAP = 1;
const HEIGHT = 24;
/** Minimum height of a nonzero bar. */
const MIN_BAR = 1.5;

const time = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });

interface SparklineProps {
  hours: WebhookHealth['hours'];
  /** Shows a tooltip for each hour. */
  large?: boolean;
}

const sum = (hours: WebhookHealth['hours'], of: 'succeeded' | 'failed'): number =>
  hours.reduce((total, hour) => total + hour[of], 0);

/** Summarizes the attempts: "120 succeeded, 2 failed in 24 hours". */
export const attemptSummary = (hours: WebhookHealth['hours']): string => {
  const [succeeded, failed] = [sum(hours, 'succeeded'), sum(hours, 'failed')];
  if (succeeded + failed === 0) return t('No attempts in 24 hours');
  return t('{succeeded} succeeded, {failed} failed in 24 hours', {
    succeeded: formatNumber(succeeded),
    failed: formatNumber(failed),
  });
};

export function Sparkline({ hours, large = false }: SparklineProps) {
  const highest = Math.max(1, ...hours.map(({ succeeded, failed }) => succeeded + failed));
  const toHeight = (value: number): number =>
    value === 0 ? 0 : Math.max(MIN_BAR, (value / highest) * HEIGHT);
  return (
    <svg
      className={large ? classes.chart : classes.sparkline}
      viewBox={`0 0 ${hours.length * (BAR + GAP) - GAP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={attemptSummary(hours)}
      {...(!large && { 'data-tip': attemptSummary(hours) })}
    >
      {hours.map(({ at, succeeded, failed }, index) => {
        const x = index * (BAR + GAP);
        const good = toHeight(succeeded);
        const bad = Math.min(toHeight(failed), HEIGHT - (failed > 0 && succeeded > 0 ? MIN_BAR : 0));
        const goodHeight = Math.min(good, HEIGHT - bad);
        return (
          <g
            key={at}
            {...(large && {
              'data-tip': t('{time}: {succeeded} succeeded, {failed} failed', {
                time: time.format(new Date(at)),
                succeeded: formatNumber(succeeded),
                failed: formatNumber(failed),
              }),
            })}
          >
            <rect className={classes.slot} x={x} y={0} width={BAR} height={HEIGHT} />
            {succeeded + failed === 0 && (
              <rect className={classes.none} x={x} y={HEIGHT - 1} width={BAR} height={1} />
            )}
            <rect className={classes.good} x={x} y={HEIGHT - goodHeight} width={BAR} height={goodHeight} />
            <rect className={classes.bad} x={x} y={HEIGHT - goodHeight - bad} width={BAR} height={bad} />
          </g>
        );
      })}
    </svg>
  );
}
