/** When the queue of deliveries is in trouble, and how that is said. */
import type { DeliveryQueue } from '../../api/types.ts';

/** What is due is sent within moments; so much later, something is wrong. */
export const LATE_S = 30;

const UNITS: [size: number, name: string][] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** "3 min" for 185 seconds. */
export function ago(seconds: number): string {
  const [size, name] = UNITS.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${name}`;
}

export interface Trouble {
  tone: 'bad' | 'warn';
  title: string;
  text: string;
}

/**
 * Nothing was attempted while something was due: the queue stands still. Attempts go on and something is late: a
 * receiver is slower than its events come.
 */
export function queueTrouble(queue: DeliveryQueue): Trouble | null {
  const { oldest_due_seconds: late, oldest_due_at: since, last_attempt_at: last } = queue;
  if (late === null || since === null || late < LATE_S) return null;
  // The server's clock says how late it is; so "now" is its own, not the reader's.
  const now = Date.parse(since) + late * 1000;
  const idle = last === null ? Infinity : (now - Date.parse(last)) / 1000;
  if (idle >= LATE_S)
    return {
      tone: 'bad',
      title: 'Deliveries stand still',
      text: `The oldest has been due for ${ago(late)}, and ${last === null ? 'none was ever attempted' : `the last attempt was ${ago(idle)} ago`}. Nothing is lost: what waits is sent as soon as a process with the role worker runs. Check the server and its log.`,
    };
  return {
    tone: 'warn',
    title: 'Deliveries are late',
    text: `The oldest has been due for ${ago(late)}. Attempts go on, so a receiver is slow, or its limits are tight: look at the webhooks that have something due.`,
  };
}
