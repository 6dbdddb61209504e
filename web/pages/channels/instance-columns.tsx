/** Columns of the table of instances. */
import { Text } from '@mantine/core';
import type { Channel, Instance } from '../../api/types.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import classes from './channels.module.css';
import { InstanceState } from './InstanceState.tsx';

const count = new Intl.NumberFormat('en');

function LastError({ instance: { last_error: error, state } }: { instance: Instance }) {
  if (!error) return '–';
  // What a connection has got over is history.
  const over = state === 'connected';
  return (
    <Text
      size="xs"
      truncate
      className={classes.error}
      title={error.detail}
      c={over ? 'dimmed' : 'var(--mantine-color-error)'}
    >
      {error.detail}
    </Text>
  );
}

/** @param channels for their titles */
export const instanceColumns = (channels: readonly Channel[]): Column<Instance>[] => {
  const titleOf = (id: string) => channels.find((channel) => channel.id === id)?.title ?? id;
  return [
    {
      key: 'name',
      title: 'Name',
      render: ({ name, channel, address, queue }) => (
        <div className={classes.name}>
          <Text truncate title={name}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" truncate className={ui.narrowOnly}>
            {titleOf(channel)}
            {address !== null && ` · ${address}`}
            {queue.length > 0 && ` · ${count.format(queue.length)} waiting`}
          </Text>
        </div>
      ),
    },
    {
      key: 'channel',
      title: 'Channel',
      from: 'medium',
      render: ({ channel }) => titleOf(channel),
    },
    {
      key: 'address',
      title: 'Address',
      from: 'medium',
      render: ({ address }) => (
        <Text truncate className={`${ui.mono} ${classes.name}`} {...(address !== null && { title: address })}>
          {address ?? '–'}
        </Text>
      ),
    },
    { key: 'state', title: 'State', width: 140, render: ({ state }) => <InstanceState state={state} /> },
    {
      key: 'queue',
      title: 'Queue',
      align: 'right',
      from: 'medium',
      width: 76,
      render: ({ queue }) => count.format(queue.length),
    },
    {
      key: 'connected_at',
      title: 'Connected',
      from: 'wide',
      width: 130,
      render: ({ state, connected_at: at }) => (
        <RelativeTime at={state === 'connected' || state === 'restricted' ? at : null} />
      ),
    },
    {
      key: 'error',
      title: 'Last error',
      from: 'wide',
      render: (instance) => <LastError instance={instance} />,
    },
  ];
};
