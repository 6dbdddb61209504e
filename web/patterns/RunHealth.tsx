/** Shows the health of a rule or an endpoint as one pill, the same in every list. */
import { rich, t } from '../copy/text.ts';
import { RelativeTime } from '../design/RelativeTime.tsx';
import { Status } from '../design/Status.tsx';

interface RunHealthProps {
  enabled: boolean;
  /** When it last failed; null if there is nothing to worry about. */
  failedAt: string | null;
  /** Whether it ran at all: without a run nothing is known. */
  hasRun: boolean;
  /** Shown in place of the health if nothing has run yet. */
  none?: React.ReactNode;
}

export function RunHealth({ enabled, failedAt, hasRun, none }: RunHealthProps) {
  if (!enabled) return <Status tone="idle">{t('Disabled')}</Status>;
  if (failedAt !== null)
    return (
      <Status tone="bad">
        <span>{rich('Failed <time>then</time>', { time: () => <RelativeTime at={failedAt} /> })}</span>
      </Status>
    );
  return hasRun ? <Status tone="good">{t('Healthy')}</Status> : none;
}
