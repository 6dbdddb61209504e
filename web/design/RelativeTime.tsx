/** A time relative to now, with the exact one on hover. */
import { exactTime, relativeTime, useFromClock } from './time.ts';

interface RelativeTimeProps {
  /** RFC 3339. */
  at: string | null;
  /** Shown if there is no time. */
  none?: string;
}

export function RelativeTime({ at, none = '–' }: RelativeTimeProps) {
  const shown = useFromClock((now) => (at === null ? none : relativeTime(Date.parse(at), now)));
  if (at === null) return <span>{none}</span>;
  return (
    <time dateTime={at} data-tip={exactTime(at)} style={{ whiteSpace: 'nowrap' }}>
      {shown}
    </time>
  );
}
