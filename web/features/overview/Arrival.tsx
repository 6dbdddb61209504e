/** Shows that a first API call is awaited, and that it was received. */
import { Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { rich, t } from '../../copy/text.ts';
import type { ApiKey } from '../../api/types.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import classes from './arrival.module.css';

export function Waiting({ children }: { children: React.ReactNode }) {
  return (
    <div className={atoms.rowWide} role="status">
      <span className={classes.pulse} aria-hidden />
      <Text c="dimmed">{children}</Text>
    </div>
  );
}

/** @param apiKey the key of the call */
export function Arrived({ apiKey }: { apiKey: ApiKey }) {
  return (
    <div className={classes.arrived} role="status">
      <span className={classes.arrivedMark} aria-hidden>
        <IconCheck size={18} stroke={2.5} />
      </span>
      <div>
        <Text fw={600}>
          {rich(
            '<operation>{operation}</operation> with {key}',
            { operation: (words) => <span className={ui.mono}>{words}</span> },
            { operation: apiKey.last_used_operation ?? t('API call'), key: apiKey.name },
          )}
        </Text>
        <Text size="xs" c="dimmed">
          {rich(
            'from <ip>{ip}</ip>,',
            { ip: (words) => <span className={ui.mono}>{words}</span> },
            { ip: apiKey.last_used_ip ?? t('an unknown address') },
          )}{' '}
          <RelativeTime at={apiKey.last_used_at} />
        </Text>
      </div>
    </div>
  );
}
