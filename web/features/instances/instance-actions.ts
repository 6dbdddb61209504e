/** The actions of an instance, for its row, its page and the search. */
import {
  IconEraser,
  IconLogout,
  IconPencil,
  IconPlugConnected,
  IconPlugConnectedX,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import { deleteInstance, setDesiredState } from '../../api/instances.ts';
import { clearQueue } from '../../api/queue.ts';
import type { Instance } from '../../api/types.ts';
import { plural, t } from '../../copy/text.ts';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { useConnect } from './use-connect.ts';

const EditSheet = lazyDialog(() => import('./EditSheet.tsx'), 'EditSheet');

/** Whether an instance is connected or tries to. */
const isOn = ({ desired_state: desired, state }: Instance): boolean =>
  desired === 'connected' && state !== 'failed';

type InstanceAction = 'connect' | 'disconnect' | 'edit' | 'restart' | 'logout' | 'clear-queue' | 'delete';

const INSTANCE_ACTIONS: readonly ActionDefinition<Instance, InstanceAction>[] = [
  {
    id: 'disconnect',
    label: () => t('Disconnect'),
    icon: IconPlugConnectedX,
    scope: 'instances:write',
    primary: true,
    applies: isOn,
    confirm: ({ id, name }) => ({
      title: t('Disconnect instance “{name}”?', { name }),
      text: t(
        'The instance stops receiving messages and rejects new ones to send. Queued messages stay in the queue until they expire, and are sent when you reconnect.',
      ),
      button: t('Disconnect'),
      call: setDesiredState(id, 'disconnect'),
    }),
    done: () => t('Instance disconnected'),
  },
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope: 'instances:write',
    primary: true,
    dialog: EditSheet,
    done: () => t('Instance updated'),
  },
  {
    id: 'restart',
    label: () => t('Restart'),
    icon: IconRefresh,
    scope: 'instances:write',
    confirm: ({ id, name }) => ({
      title: t('Restart connection of instance “{name}”?', { name }),
      text: t('This closes the current connection and opens a new one. Queued messages are kept.'),
      button: t('Restart'),
      danger: false,
      call: setDesiredState(id, 'restart'),
    }),
    done: () => t('Connection restarted'),
  },
  {
    id: 'logout',
    label: () => t('Log out'),
    icon: IconLogout,
    scope: 'instances:write',
    confirm: ({ id, name }) => ({
      title: t('Log out instance “{name}”?', { name }),
      text: t(
        "This disconnects the instance and ends the account's session on the channel. A paired account must be paired again to reconnect.",
      ),
      button: t('Log out'),
      call: setDesiredState(id, 'logout'),
    }),
    done: () => t('Logged out of the account'),
  },
  {
    id: 'clear-queue',
    label: () => t('Clear queue'),
    icon: IconEraser,
    danger: true,
    scope: 'instances:write',
    confirm: ({ id, name }) => ({
      title: t('Clear queue of instance “{name}”?', { name }),
      text: t(
        "This cancels all queued messages and drops queued edits and reactions. Messages being sent now and scheduled messages aren't affected. This can't be undone.",
      ),
      button: t('Clear queue'),
      call: clearQueue(id),
    }),
    done: (_instance, { canceled }: { canceled: number }) =>
      plural(canceled, { one: '{count} message canceled', other: '{count} messages canceled' }),
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope: 'instances:write',
    confirm: ({ id, name }) => ({
      title: t('Delete instance “{name}”?', { name }),
      text: t(
        "This closes the connection and permanently deletes the instance's messages and chats. Queued messages aren't sent. Contacts and files are kept. The account's session on the channel stays active; to end it, log out first.",
      ),
      button: t('Delete instance'),
      call: deleteInstance(id),
    }),
    done: () => t('Instance deleted'),
  },
];

export function useInstanceActions(): readonly ActionDefinition<Instance, InstanceAction>[] {
  const connect = useConnect();
  return [
    {
      id: 'connect',
      label: () => t('Connect'),
      icon: IconPlugConnected,
      scope: 'instances:write',
      primary: true,
      applies: (instance) => !isOn(instance),
      run: ({ id }) => connect.mutate(id),
    },
    ...INSTANCE_ACTIONS,
  ];
}
