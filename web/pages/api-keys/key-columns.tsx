/** Columns of the table of keys. */
import { Text } from '@mantine/core';
import type { ApiKey } from '../../api/types.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import classes from './api-keys.module.css';
import { KeyState } from './KeyState.tsx';

const access = (key: ApiKey): string =>
  key.preset
    ? key.preset.replace('_', ' ')
    : key.scopes.length === 1
      ? '1 scope'
      : `${key.scopes.length} scopes`;

export const keyColumns: Column<ApiKey>[] = [
  {
    key: 'name',
    title: 'Name',
    render: (key) => (
      <>
        <Text fw={500} truncate className={classes.name}>
          {key.name}
        </Text>
        <Text size="xs" c="dimmed" className={ui.mono} truncate>
          {`${key.prefix}…${key.last4}`}
        </Text>
      </>
    ),
  },
  { key: 'state', title: 'State', render: (key) => <KeyState state={key.state} /> },
  { key: 'scopes', title: 'Access', from: 'medium', render: access },
  {
    key: 'expires_at',
    title: 'Expires',
    from: 'wide',
    render: (key) => <RelativeTime at={key.expires_at} none="never" />,
  },
  {
    key: 'last_used_at',
    title: 'Last call',
    render: (key) => <RelativeTime at={key.last_used_at} none="never" />,
  },
  {
    key: 'last_used_operation',
    title: 'Operation',
    from: 'wide',
    render: (key) => <span className={ui.mono}>{key.last_used_operation ?? '–'}</span>,
  },
  {
    key: 'created_at',
    title: 'Created',
    from: 'medium',
    render: (key) => <RelativeTime at={key.created_at} />,
  },
];
