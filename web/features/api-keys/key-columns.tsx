/** Columns of the API key table. */
import { Text } from '@mantine/core';
import { plural, t } from '../../copy/text.ts';
import type { ApiKey } from '../../api/types.ts';
import type { Column } from '../../patterns/table/column.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import classes from './api-keys.module.css';
import { KeyState } from './KeyState.tsx';
import { presetName } from './scope-groups.ts';

const access = (key: ApiKey): string =>
  key.preset
    ? presetName(key.preset)
    : plural(key.scopes.length, { one: '{count} scope', other: '{count} scopes' });

export const KEY_STATES = [
  { value: 'active', label: t('Active') },
  { value: 'expired', label: t('Expired') },
  { value: 'revoked', label: t('Revoked') },
];

export const keyColumns: Column<ApiKey>[] = [
  {
    key: 'name',
    title: t('Name'),
    fixed: true,
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
  { key: 'state', title: t('Status'), render: (key) => <KeyState state={key.state} /> },
  { key: 'scopes', title: t('Access'), from: 'medium', render: access },
  {
    key: 'expires_at',
    title: t('Expires'),
    from: 'wide',
    render: (key) => <RelativeTime at={key.expires_at} none={t('Never')} />,
  },
  {
    key: 'last_used_at',
    from: 'medium',
    title: t('Last used'),
    render: (key) => <RelativeTime at={key.last_used_at} none={t('Never')} />,
  },
  {
    key: 'last_used_operation',
    title: t('Last operation'),
    from: 'wide',
    render: (key) => <span className={ui.mono}>{key.last_used_operation ?? '–'}</span>,
  },
  {
    key: 'created_at',
    title: t('Created'),
    from: 'medium',
    render: (key) => <RelativeTime at={key.created_at} />,
  },
];
