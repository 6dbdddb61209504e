/** When the next attempt is due; what is due by now is about to be sent. */
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { exactTime, useFromClock } from '../../ui/time.ts';

export function NextAttempt({ at }: { at: string | null }) {
  const due = useFromClock((now) => at !== null && Date.parse(at) <= now);
  if (at === null || !due) return <RelativeTime at={at} />;
  return (
    <time dateTime={at} data-tip={exactTime(at)}>
      due now
    </time>
  );
}
