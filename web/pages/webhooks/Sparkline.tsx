/** Attempts of the last 24 hours, a bar an hour: what succeeded from the ground up, what failed on top of it. */
import type { WebhookHealth } from '../../api/types.ts';
import classes from './webhooks.module.css';

/** Units of the drawing; it is stretched to its place. */
const BAR = 4;
const GAP = 1;
const HEIGHT = 24;
/** The least of a bar that has anything in it. */
const LEAST = 1.5;

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const count = new Intl.NumberFormat('en');

interface SparklineProps {
  hours: WebhookHealth['hours'];
  /** With a tip for each hour. */
  large?: boolean;
}

const sum = (hours: WebhookHealth['hours'], of: 'succeeded' | 'failed'): number =>
  hours.reduce((total, hour) => total + hour[of], 0);

/** "120 succeeded, 2 failed" */
export const attemptsSaid = (hours: WebhookHealth['hours']): string => {
  const [succeeded, failed] = [sum(hours, 'succeeded'), sum(hours, 'failed')];
  if (succeeded + failed === 0) return 'no attempts in 24 hours';
  return `${count.format(succeeded)} succeeded, ${count.format(failed)} failed in 24 hours`;
};

export function Sparkline({ hours, large = false }: SparklineProps) {
  const most = Math.max(1, ...hours.map(({ succeeded, failed }) => succeeded + failed));
  const heightOf = (value: number): number => (value === 0 ? 0 : Math.max(LEAST, (value / most) * HEIGHT));
  return (
    <svg
      className={large ? classes.chart : classes.sparkline}
      viewBox={`0 0 ${hours.length * (BAR + GAP) - GAP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={attemptsSaid(hours)}
      {...(!large && { 'data-tip': attemptsSaid(hours) })}
    >
      {hours.map(({ at, succeeded, failed }, index) => {
        const x = index * (BAR + GAP);
        const good = heightOf(succeeded);
        const bad = Math.min(heightOf(failed), HEIGHT - (failed > 0 && succeeded > 0 ? LEAST : 0));
        const ground = Math.min(good, HEIGHT - bad);
        return (
          <g
            key={at}
            {...(large && {
              'data-tip': `${time.format(new Date(at))}: ${count.format(succeeded)} succeeded, ${count.format(failed)} failed`,
            })}
          >
            <rect className={classes.slot} x={x} y={0} width={BAR} height={HEIGHT} />
            {succeeded + failed === 0 && (
              <rect className={classes.none} x={x} y={HEIGHT - 1} width={BAR} height={1} />
            )}
            <rect className={classes.good} x={x} y={HEIGHT - ground} width={BAR} height={ground} />
            <rect className={classes.bad} x={x} y={HEIGHT - ground - bad} width={BAR} height={bad} />
          </g>
        );
      })}
    </svg>
  );
}
