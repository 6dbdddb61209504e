/** The values of the replay dialog and the request body they stand for. */
import { localTime } from '../../design/time.ts';
import type { ReplayRequest } from '../../api/webhooks.ts';

export const REPLAY_STATUSES = ['exhausted', 'canceled', 'pending', 'missing', 'succeeded'] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

export interface ReplayForm {
  /** Hours back from now, or a custom range. */
  span: '1' | '24' | '168' | '720' | 'custom';
  /** In the format of a `datetime-local` field, in the user's time zone. */
  since: string;
  /** Same format; empty means until now. */
  until: string;
  status: ReplayStatus[];
}

/** The API's default: everything the endpoint did not receive. */
const UNDELIVERED: ReplayStatus[] = ['exhausted', 'canceled', 'pending', 'missing'];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** @param since RFC 3339 timestamp from which events were missed, if known */
export const newReplayForm = (since: string | null): ReplayForm => ({
  span: since === null ? '24' : 'custom',
  since: since === null ? '' : localTime(since),
  until: '',
  status: UNDELIVERED,
});

const toTimestamp = (local: string): string =>
  Number.isNaN(Date.parse(local)) ? local : new Date(local).toISOString();

/** @param now milliseconds; rounded down to the minute so that the cURL example stays stable */
export function toReplayRequest({ span, since, until, status }: ReplayForm, now: number): ReplayRequest {
  const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const isDefault = UNDELIVERED.length === status.length && UNDELIVERED.every((one) => status.includes(one));
  return {
    since: span === 'custom' ? toTimestamp(since) : new Date(minute - Number(span) * HOUR_MS).toISOString(),
    ...(span === 'custom' && until !== '' && { until: toTimestamp(until) }),
    ...(!isDefault && { status: REPLAY_STATUSES.filter((one) => status.includes(one)) }),
  };
}
