/** The moment a call comes in: waiting for it, and its arrival. */
import { Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ApiKey } from '../../api/types.ts';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import classes from './arrival.module.css';

export function Waiting({ children }: { children: React.ReactNode }) {
  return (
    <div className={classes.waiting} role="status">
      <span className={classes.pulse} aria-hidden />
      <Text c="dimmed">{children}</Text>
    </div>
  );
}

/** @param apiKey the key whose call came */
export function Arrived({ apiKey }: { apiKey: ApiKey }) {
  return (
    <div className={classes.arrived} role="status">
      <span className={classes.arrivedMark} aria-hidden>
        <IconCheck size={18} stroke={2.5} />
      </span>
      <div>
        <Text fw={600}>
          <span className={ui.mono}>{apiKey.last_used_operation ?? 'A call'}</span> with {apiKey.name}
        </Text>
        <Text size="xs" c="dimmed">
          from <span className={ui.mono}>{apiKey.last_used_ip ?? 'an unknown address'}</span>,{' '}
          <RelativeTime at={apiKey.last_used_at} />
        </Text>
      </div>
    </div>
  );
}
