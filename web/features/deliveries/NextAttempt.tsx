/** The time of the next attempt, or "due now" once it has passed. */
import { t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { exactTime, useFromClock } from '../../design/time.ts';

export function NextAttempt({ at }: { at: string | null }) {
  const due = useFromClock((now) => at !== null && Date.parse(at) <= now);
  if (at === null || !due) return <RelativeTime at={at} />;
  return (
    <time dateTime={at} data-tip={exactTime(at)}>
      {t('due now')}
    </time>
  );
}
