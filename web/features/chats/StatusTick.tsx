/** Shows the status of a sent message as an icon with a label. */
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
import { exactTime } from '../../design/time.ts';
import classes from './bubble.module.css';
import { statusLabel } from '../messages/message-text.ts';

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
  const label = statusLabel(status);
  const since = history.findLast((entry) => entry.status === status)?.at;
  return (
    <span
      className={classes.tick}
      data-status={status}
      role="img"
      aria-label={label}
      data-tip={since === undefined ? label : `${label}, ${exactTime(since)}`}
    >
      <Icon size={14} stroke={2} />
    </span>
  );
}
