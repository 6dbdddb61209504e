/** The actions on a group and its participants. */
import { IconLogout, IconPencil, IconRefresh } from '@tabler/icons-react';
import { askGroup } from '../../api/groups.ts';
import type { Group, GroupParticipant, Instance } from '../../api/types.ts';
import { useEndOf } from '../../api/use-action.ts';
import { t } from '../../copy/text.ts';
import type { ActionDefinition, Confirmation } from '../../patterns/actions/action.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { canManage } from './group-text.ts';

const EditDialog = lazyDialog(() => import('./EditDialog.tsx'), 'EditDialog');

export type ParticipantAction = 'promote' | 'demote' | 'remove' | 'ban';

/** The props of each part of a group's page. */
export interface GroupPart {
  group: Group;
  /** Undefined while loading. */
  instance: Instance | undefined;
}

/** Returns the actions available for a participant. The channel makes the final decision. */
export function actionsFor(
  { address, role }: GroupParticipant,
  group: Group,
  instance: Instance | undefined,
): ParticipantAction[] {
  // The instance itself leaves the group instead, and only owners can manage owners.
  if (address === instance?.address || group.role === 'member') return [];
  if (role === 'owner' && group.role === 'admin') return [];
  const operations = instance?.capabilities.operations ?? [];
  return [
    ...(operations.includes('group_promote') ? ([role === 'member' ? 'promote' : 'demote'] as const) : []),
    'remove',
    ...(operations.includes('group_ban') ? (['ban'] as const) : []),
  ];
}

const leave = (name: string): Pick<Confirmation, 'title' | 'text' | 'button'> => ({
  title: t('Leave group “{name}”?', { name }),
  text: t(
    'The instance no longer sends or receives messages in this group. The chat stays readable. To rejoin, you must be added or use an invitation.',
  ),
  button: t('Leave'),
});

/** Where the account owns its groups, so that leaving one deletes it. */
const deleteForAll = (name: string): Pick<Confirmation, 'title' | 'text' | 'button'> => ({
  title: t('Delete group “{name}” for everyone?', { name }),
  text: t(
    "Your number owns the group and can't leave it. WhatsApp deletes the group for all participants. The chat stays readable. This can't be undone.",
  ),
  button: t('Delete group'),
});

/** Returns the actions on the group itself. */
export function useGroupActions(instance: Instance | undefined): readonly ActionDefinition<Group>[] {
  const end = useEndOf();
  const isOwned = instance?.channel === 'whatsapp';
  return [
    {
      id: 'edit',
      label: () => t('Edit'),
      icon: IconPencil,
      primary: true,
      scope: 'groups:write',
      applies: (group) => !group.settings.locked || canManage(group),
      dialog: EditDialog,
      done: () => t('Group updated'),
    },
    {
      id: 'refresh',
      label: () => t('Refresh'),
      icon: IconRefresh,
      scope: 'groups:write',
      confirm: ({ id, subject: name }) => ({
        title: t('Refresh group “{name}”?', { name }),
        text: t(
          'This loads the group from the channel again. It is rarely needed because changes are synced automatically.',
        ),
        button: t('Refresh'),
        danger: false,
        call: askGroup(id, 'refresh'),
        action: end,
      }),
      done: () => t('Group refreshed'),
    },
    {
      id: 'leave',
      label: () => t('Leave'),
      icon: IconLogout,
      danger: true,
      scope: 'groups:write',
      confirm: ({ id, subject }) => ({
        ...(isOwned ? deleteForAll : leave)(subject),
        call: askGroup(id, 'leave'),
        action: end,
      }),
      done: () => (isOwned ? t('Group deleted') : t('Left the group')),
    },
  ];
}
