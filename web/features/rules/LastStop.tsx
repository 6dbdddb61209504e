/** An alert if a rule was stopped recently. */
import { IconShieldBolt } from '@tabler/icons-react';
import { rich } from '../../copy/text.ts';
import type { Rule } from '../../api/types.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateAlert } from '../../patterns/StateAlert.tsx';
import { STOP_LABELS } from './rule-text.ts';

/** Older stops are not shown. */
const RECENT_MS = 24 * 60 * 60 * 1000;

export function LastStop({ rule }: { rule: Rule }) {
  const { last_stopped_as: as, last_stopped_at: at } = rule.stats;
  if (as === null || at === null || Date.parse(rule.updated_at) > Date.parse(at)) return null;
  // oxlint-disable-next-line react/purity -- a day more or less
  if (Date.now() - Date.parse(at) > RECENT_MS) return null;
  return (
    <StateAlert tone="warn" icon={IconShieldBolt} title={STOP_LABELS[as].title}>
      {rich(
        '{description} Last stopped <time>then</time>.',
        { time: () => <RelativeTime at={at} /> },
        { description: STOP_LABELS[as].description },
      )}
    </StateAlert>
  );
}
