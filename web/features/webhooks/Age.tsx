/** How long ago something happened: "3 min". The exact time shows on hover. */
import { exactTime, useFromClock } from '../../design/time.ts';
import { formatAge } from './queue-alert.ts';

export function Age({ since }: { since: string }) {
  // A clock that is behind the server's must not show a time in the future, and nothing is "for 0 sec".
  const age = useFromClock((now) => formatAge(Math.max(1, (now - Date.parse(since)) / 1000)));
  return (
    <time dateTime={since} data-tip={exactTime(since)} style={{ whiteSpace: 'nowrap' }}>
      {age}
    </time>
  );
}
