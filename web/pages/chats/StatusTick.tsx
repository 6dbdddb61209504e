/** How far a message of ours came, as a sign with its word. */
import {
  IconAlertTriangle,
  IconBan,
  IconCalendarClock,
  IconCheck,
  IconChecks,
  IconClock,
  IconSend2,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Message } from '../../api/types.ts';
import { exactTime } from '../../ui/time.ts';
import classes from './bubble.module.css';

const ICONS: Record<Message['status'], TablerIcon> = {
  scheduled: IconCalendarClock,
  queued: IconClock,
  sending: IconSend2,
  sent: IconCheck,
  delivered: IconChecks,
  read: IconChecks,
  failed: IconAlertTriangle,
  canceled: IconBan,
  received: IconCheck,
};

export function StatusTick({ message }: { message: Message }) {
  const { status, status_history: history } = message;
  const Icon = ICONS[status];
  const since = history.findLast((entry) => entry.status === status)?.at;
  return (
    <span
      className={classes.tick}
      data-status={status}
      role="img"
      aria-label={status}
      data-tip={since === undefined ? status : `${status}, ${exactTime(since)}`}
    >
      <Icon size={14} stroke={2} />
    </span>
  );
}
