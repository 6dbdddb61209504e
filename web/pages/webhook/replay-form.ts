/** What the replay dialog holds, and the body of the call that it stands for. */
import type { ReplayRequest } from '../../api/webhooks.ts';

export const REPLAY_STATUSES = ['exhausted', 'canceled', 'missing', 'succeeded'] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

export interface ReplayForm {
  /** Hours back from now, or times of one's own. */
  span: '1' | '24' | '168' | '720' | 'custom';
  /** As a field of type datetime-local has it, in the reader's time zone. */
  since: string;
  /** Empty: until now. */
  until: string;
  status: ReplayStatus[];
}

/** Whatever the receiver has not got: what the API replays when it is told nothing. */
const NOT_GOT: ReplayStatus[] = ['exhausted', 'canceled', 'missing'];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A time for a field of type datetime-local. @param at RFC 3339, or milliseconds */
function localTime(at: string | number): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** @param since where what is missed begins, if that is known */
export const replayForm = (since: string | null): ReplayForm => ({
  span: since === null ? '24' : 'custom',
  since: since === null ? '' : localTime(since),
  until: '',
  status: NOT_GOT,
});

const timeOf = (local: string): string =>
  Number.isNaN(Date.parse(local)) ? local : new Date(local).toISOString();

/** @param now milliseconds; to the minute, so that the shown call doesn't change under the reader */
export function replayBody({ span, since, until, status }: ReplayForm, now: number): ReplayRequest {
  const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const isDefault = NOT_GOT.length === status.length && NOT_GOT.every((one) => status.includes(one));
  return {
    since: span === 'custom' ? timeOf(since) : new Date(minute - Number(span) * HOUR_MS).toISOString(),
    ...(span === 'custom' && until !== '' && { until: timeOf(until) }),
    ...(!isDefault && { status: REPLAY_STATUSES.filter((one) => status.includes(one)) }),
  };
}
