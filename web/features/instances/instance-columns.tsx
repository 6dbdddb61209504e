/** Columns of the table of instances. */
import { Text } from '@mantine/core';
import atoms from '../../design/atoms.module.css';
import { formatNumber, t } from '../../copy/text.ts';
import type { Channel, Instance } from '../../api/types.ts';
import type { Column } from '../../patterns/table/column.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import classes from './instances.module.css';
import { ChannelIcon } from './ChannelIcon.tsx';
import { countUnprocessed } from './instance-text.ts';
import { InstanceState } from './InstanceState.tsx';

function LastError({ instance: { last_error: error, state } }: { instance: Instance }) {
  if (!error) return '–';
  // The error is in the past once the instance is connected.
  const resolved = state === 'connected';
  return (
    <Text
      size="xs"
      truncate
      className={classes.error}
      title={error.detail}
      c={resolved ? 'dimmed' : 'var(--mantine-color-error)'}
    >
      {error.detail}
    </Text>
  );
}

/** @param channels for their titles */
export const instanceColumns = (channels: readonly Channel[]): Column<Instance>[] => {
  const getTitle = (id: string) => channels.find((channel) => channel.id === id)?.title ?? id;
  return [
    {
      key: 'name',
      fixed: true,
      title: t('Name'),
      render: (instance) => {
        const { name, channel, address, queue, last_error: error, state } = instance;
        return (
          <div className={classes.name}>
            <Text truncate title={name}>
              {name}
            </Text>
            <Text size="xs" c="dimmed" className={`${ui.narrowOnly} ${atoms.breaks}`}>
              {getTitle(channel)}
              {address !== null && ` · ${address}`}
              {queue.length > 0 && ` · ${t('{count} queued', { count: formatNumber(queue.length) })}`}
            </Text>
            {/* A column of its own would not fit at 1280 pixels. */}
            {instance.unprocessed_updates.count > 0 && (
              <Text size="xs" c="dimmed">
                {t('{count} unprocessed', { count: countUnprocessed(instance) })}
              </Text>
            )}
            {error && state !== 'connected' && (
              <Text size="xs" c="var(--mantine-color-error)" lineClamp={2} className={ui.narrowOnly}>
                {error.detail}
              </Text>
            )}
          </div>
        );
      },
    },
    {
      key: 'channel',
      title: t('Channel'),
      from: 'medium',
      render: ({ channel }) => (
        <span className={atoms.rowTight}>
          <ChannelIcon channel={channel} /> {getTitle(channel)}
        </span>
      ),
    },
    {
      key: 'address',
      title: t('Address'),
      from: 'medium',
      render: ({ address }) => (
        <Text truncate className={`${ui.mono} ${classes.name}`} {...(address !== null && { title: address })}>
          {address ?? '–'}
        </Text>
      ),
    },
    { key: 'state', title: t('Status'), width: 140, render: ({ state }) => <InstanceState state={state} /> },
    {
      key: 'queue',
      title: t('Queue'),
      align: 'right',
      from: 'medium',
      width: 76,
      render: ({ queue }) => formatNumber(queue.length),
    },
    {
      key: 'connected_at',
      title: t('Connected'),
      from: 'wide',
      width: 130,
      render: ({ state, connected_at: at }) => (
        <RelativeTime at={state === 'connected' || state === 'restricted' ? at : null} />
      ),
    },
    {
      key: 'error',
      title: t('Last error'),
      from: 'wide',
      render: (instance) => <LastError instance={instance} />,
    },
  ];
};
