/** The dialogs of an instance's actions. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { t } from '../../copy/text.ts';
import { deleteInstance, instanceQuery, instancesKey, setDesiredState } from '../../api/instances.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ConfirmAction, OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { notifyDone } from '../../design/notify.ts';
import type { InstanceAction } from './instance-actions.ts';
import { ClearDialog } from './ClearDialog.tsx';

const EditSheet = lazily(() => import('./EditSheet.tsx'), 'EditSheet');

interface InstanceDialogsProps {
  instance: Instance;
  channel: Channel | undefined;
  /** The dialog that is open. */
  action: InstanceAction | null;
  onClose: () => void;
}

const CONFIRMATIONS = {
  disconnect: {
    title: (name: string) => t('Disconnect instance “{name}”?', { name }),
    confirm: t('Disconnect'),
    text: t(
      'The instance stops receiving messages and rejects new ones to send. Queued messages stay in the queue until they expire, and are sent when you reconnect.',
    ),
    done: t('Instance disconnected'),
    danger: true,
  },
  restart: {
    title: (name: string) => t('Restart connection of instance “{name}”?', { name }),
    confirm: t('Restart'),
    text: t('This closes the current connection and opens a new one. Queued messages are kept.'),
    done: t('Connection restarted'),
    danger: false,
  },
  logout: {
    title: (name: string) => t('Log out instance “{name}”?', { name }),
    confirm: t('Log out'),
    text: t(
      "This disconnects the instance and ends the account's session on the channel. A paired account must be paired again to reconnect.",
    ),
    done: t('Logged out of the account'),
    danger: true,
  },
} as const;

export function InstanceDialogs({ instance, channel, action, onClose }: InstanceDialogsProps) {
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
            onDone={() => changed(t('Instance updated'))}
          />
        </OnceOpened>
      )}
      {(['disconnect', 'restart', 'logout'] as const).map((to) => {
        const { text, title, done, ...texts } = CONFIRMATIONS[to];
        return (
          <OnceOpened key={to} opened={action === to}>
            <ConfirmAction
              {...texts}
              title={title(instance.name)}
              opened={action === to}
              call={{ method: 'POST', path: `/instances/${instance.id}/${to}` }}
              action={() => setDesiredState(workspace.id, instance.id, to)}
              onDone={() => changed(done)}
              onClose={onClose}
            >
              {text}
            </ConfirmAction>
          </OnceOpened>
        );
      })}
      <ClearDialog instance={instance} opened={action === 'clear-queue'} onClose={onClose} onDone={changed} />
      <OnceOpened opened={action === 'delete'}>
        <ConfirmAction
          opened={action === 'delete'}
          title={t('Delete instance “{name}”?', { name: instance.name })}
          confirm={t('Delete instance')}
          call={{ method: 'DELETE', path: `/instances/${instance.id}` }}
          action={() => deleteInstance(workspace.id, instance.id)}
          onDone={async () => {
            notifyDone(t('Instance deleted'));
            await navigate({ to: '/w/$workspace/instances', params: { workspace: workspace.slug } });
            // Only after leaving the page: a mounted query would be fetched again.
            queryClient.removeQueries({ queryKey: instanceQuery(workspace.id, instance.id).queryKey });
            await queryClient.invalidateQueries({ queryKey: instancesKey(workspace.id) });
          }}
          onClose={onClose}
        >
          {t(
            "This closes the connection and permanently deletes the instance's messages and chats. Queued messages aren't sent. Contacts and files are kept. The account's session on the channel stays active; to end it, log out first.",
          )}
        </ConfirmAction>
      </OnceOpened>
    </>
  );
}
