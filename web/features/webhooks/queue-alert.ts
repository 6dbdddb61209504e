/** Decides whether deliveries are delayed, and words the alert. */
import { language, t } from '../../copy/text.ts';
import type { DeliveryQueue } from '../../api/types.ts';

/** Seconds after which a due delivery counts as overdue. */
export const LATE_S = 30;

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Formats seconds in their largest unit: "3 min" for 185. */
export function formatAge(seconds: number): string {
  const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? (['second', 1] as const);
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' });
  return format.format(Math.floor(seconds / size));
}

export interface QueueAlert {
  tone: 'bad' | 'warn';
  title: string;
  text: string;
}

/**
 * Returns the alert to show for the delivery queue, or null if it is healthy.
 * No recent attempt means that deliveries have stopped; otherwise an endpoint is slower than its events arrive.
 */
export function getQueueAlert(queue: DeliveryQueue): QueueAlert | null {
  const { oldest_due_seconds: late, oldest_due_at: since, last_attempt_at: last } = queue;
  if (late === null || since === null || late < LATE_S) return null;
  // Derives the current time from the server's clock, since the browser's may differ.
  const now = Date.parse(since) + late * 1000;
  const idle = last === null ? Infinity : (now - Date.parse(last)) / 1000;
  if (idle >= LATE_S)
    return {
      tone: 'bad',
      title: t('Deliveries have stopped'),
      text:
        last === null
          ? t(
              'The oldest delivery has been due for {late}. Nothing is lost: deliveries continue when a process with the worker role runs. Check the server and its log.',
              { late: formatAge(late) },
            )
          : t(
              'The oldest delivery has been due for {late}, and the last attempt was {idle} ago. Nothing is lost: deliveries continue when a process with the worker role runs. Check the server and its log.',
              { late: formatAge(late), idle: formatAge(idle) },
            ),
    };
  return {
    tone: 'warn',
    title: t('Deliveries are delayed'),
    text: t(
      "The oldest delivery has been due for {late}. A webhook's endpoint may be slow or its rate limit too low. Check the webhooks with overdue deliveries.",
      { late: formatAge(late) },
    ),
  };
}
