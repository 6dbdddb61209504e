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
import type { Instance } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';
import { useConnect } from './use-connect.ts';

/** An action that has a dialog. */
export type InstanceAction = 'edit' | 'disconnect' | 'restart' | 'logout' | 'clear-queue' | 'delete';

/** Whether an instance is connected or tries to. */
const isOn = ({ desired_state: desired, state }: Instance): boolean =>
  desired === 'connected' && state !== 'failed';

/** @param open opens the dialog of an action */
export function useInstanceActions(
  open: (instance: Instance, action: InstanceAction) => void,
): Action<Instance>[] {
  const connect = useConnect();
  const inDialog = (
    id: InstanceAction,
    label: string,
    rest: Partial<Action<Instance>>,
  ): Action<Instance> => ({
    id,
    label: () => label,
    scope: 'instances:write',
    run: (instance) => open(instance, id),
    ...rest,
  });
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
    inDialog('disconnect', t('Disconnect'), { icon: IconPlugConnectedX, primary: true, applies: isOn }),
    inDialog('edit', t('Edit'), { icon: IconPencil, primary: true }),
    inDialog('restart', t('Restart'), { icon: IconRefresh }),
    inDialog('logout', t('Log out'), { icon: IconLogout }),
    inDialog('clear-queue', t('Clear queue'), { icon: IconEraser, danger: true }),
    inDialog('delete', t('Delete'), { icon: IconTrash, danger: true }),
  ];
}
