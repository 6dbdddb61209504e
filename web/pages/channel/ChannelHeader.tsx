/** Which account it is, and what can be done with it. */
import { Button, Group } from '@mantine/core';
import { IconPencil, IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react';
import type { Channel, Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { TextLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import ui from '../../ui/ui.module.css';
import classes from './channel.module.css';
import { useConnect } from './use-connect.ts';

export type ChannelAction = 'edit' | 'disconnect' | 'restart' | 'logout' | 'clear-queue' | 'delete';

interface ChannelHeaderProps {
  instance: Instance;
  channel: Channel | undefined;
  onAction: (action: ChannelAction) => void;
}

export function ChannelHeader({ instance, channel, onAction }: ChannelHeaderProps) {
  const { workspace } = useWorkspace();
  const write = useCan('instances:write');
  const connect = useConnect(instance.id);
  const wanted = instance.desired_state === 'connected' && instance.state !== 'failed';
  return (
    <>
      <TextLink to="/w/$workspace/channels" params={{ workspace: workspace.slug }} className={classes.back}>
        Channels
      </TextLink>
      <PageHeader
        title={instance.name}
        description={
          <span className={classes.address}>
            {channel?.title ?? instance.channel}
            {instance.address !== null && (
              <>
                <span className={ui.mono}>{instance.address}</span>
                <CopyButton text={instance.address} label="Copy the address" />
              </>
            )}
          </span>
        }
      >
        {write && (
          <Group gap="xs">
            {wanted ? (
              <Button
                variant="default"
                leftSection={<IconPlugConnectedX size={16} />}
                onClick={() => onAction('disconnect')}
              >
                Disconnect
              </Button>
            ) : (
              <Button
                leftSection={<IconPlugConnected size={16} />}
                loading={connect.isPending}
                onClick={() => connect.mutate()}
              >
                Connect
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconPencil size={16} />}
              disabled={!channel}
              onClick={() => onAction('edit')}
            >
              Change
            </Button>
            <RowMenu
              of="the channel"
              actions={[
                { label: 'Restart', onClick: () => onAction('restart') },
                { label: 'Log out', onClick: () => onAction('logout') },
                { label: 'Clear the queue', danger: true, onClick: () => onAction('clear-queue') },
                { label: 'Delete', danger: true, onClick: () => onAction('delete') },
              ]}
            />
          </Group>
        )}
      </PageHeader>
    </>
  );
}
