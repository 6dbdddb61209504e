/** The dialogs of a channel's page, each loaded when it is first opened. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy } from 'react';
import { deleteInstance, instanceQuery, instancesKey, setDesiredState } from '../../api/instances.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { notifyDone } from '../../ui/notify.ts';
import type { ChannelAction } from './ChannelHeader.tsx';
import { ClearDialog } from './ClearDialog.tsx';

const EditSheet = lazy(async () => ({ default: (await import('./EditSheet.tsx')).EditSheet }));

interface ChannelDialogsProps {
  instance: Instance;
  channel: Channel | undefined;
  /** The dialog that is open. */
  action: ChannelAction | null;
  onClose: () => void;
}

const WISHES = {
  disconnect: {
    title: 'Disconnect the channel?',
    confirm: 'Disconnect',
    text: 'Nothing comes in any more, and messages to send are refused from the answer on. What waits stays in the queue for its time, and goes when it is connected again.',
    done: 'Channel disconnected',
    danger: true,
  },
  restart: {
    title: 'Restart the connection?',
    confirm: 'Restart',
    text: 'It is closed and opened anew, or opened where there is none. Nothing of the queue is lost.',
    done: 'The connection is opened anew',
    danger: false,
  },
  logout: {
    title: 'Log the account out?',
    confirm: 'Log out',
    text: "It is disconnected, and the account's session at the channel ends. One that was paired must be paired anew to connect again.",
    done: 'Account logged out',
    danger: true,
  },
} as const;

export function ChannelDialogs({ instance, channel, action, onClose }: ChannelDialogsProps) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const changed = (message: string) => {
    onClose();
    void queryClient.invalidateQueries({ queryKey: instancesKey(workspace.id) });
    notifyDone(message);
  };
  return (
    <>
      {channel && (
        <OnceOpened opened={action === 'edit'}>
          <EditSheet
            opened={action === 'edit'}
            instance={instance}
            channel={channel}
            onClose={onClose}
            onDone={() => changed('Channel changed')}
          />
        </OnceOpened>
      )}
      {(['disconnect', 'restart', 'logout'] as const).map((wish) => {
        const { text, done, ...said } = WISHES[wish];
        return (
          <OnceOpened key={wish} opened={action === wish}>
            <ConfirmDialog
              {...said}
              opened={action === wish}
              call={{ method: 'POST', path: `/instances/${instance.id}/${wish}` }}
              action={() => setDesiredState(workspace.id, instance.id, wish)}
              onDone={() => changed(done)}
              onClose={onClose}
            >
              {text}
            </ConfirmDialog>
          </OnceOpened>
        );
      })}
      <ClearDialog instance={instance} opened={action === 'clear-queue'} onClose={onClose} onDone={changed} />
      <OnceOpened opened={action === 'delete'}>
        <ConfirmDialog
          opened={action === 'delete'}
          title={`Delete ${instance.name}?`}
          confirm="Delete channel"
          call={{ method: 'DELETE', path: `/instances/${instance.id}` }}
          action={() => deleteInstance(workspace.id, instance.id)}
          onDone={async () => {
            notifyDone('Channel deleted');
            await navigate({ to: '/w/$workspace/channels', params: { workspace: workspace.slug } });
            // Once nothing shows it any more, so that nothing asks for it again.
            queryClient.removeQueries({ queryKey: instanceQuery(workspace.id, instance.id).queryKey });
            await queryClient.invalidateQueries({ queryKey: instancesKey(workspace.id) });
          }}
          onClose={onClose}
        >
          Its connection is closed at once, and its messages and chats are deleted; contacts and files stay.
          What waits is not sent any more. This can't be undone. The account's session at the channel goes on:
          log out first where it should end.
        </ConfirmDialog>
      </OnceOpened>
    </>
  );
}
