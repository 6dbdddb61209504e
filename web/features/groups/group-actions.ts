/** The actions on a group and its participants. */
import { IconLogout, IconPencil, IconRefresh } from '@tabler/icons-react';
import type { Group, GroupParticipant, Instance } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';
import { canManage } from './group-text.ts';

export type ParticipantAction = 'promote' | 'demote' | 'remove' | 'ban';

export type GroupAction =
  | { kind: 'edit' | 'refresh' | 'leave' | 'revoke' | 'add' | 'unban' }
  | { kind: ParticipantAction; participant: GroupParticipant };

/** The props of each part of a group's page. */
export interface GroupPart {
  group: Group;
  /** Undefined while loading. */
  instance: Instance | undefined;
  onAction: (action: GroupAction) => void;
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

/** Returns the actions on the group itself. */
export const groupActions = (onAction: (action: GroupAction) => void): Action<Group>[] => [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    primary: true,
    scope: 'groups:write',
    applies: (group) => !group.settings.locked || canManage(group),
    run: () => onAction({ kind: 'edit' }),
  },
  {
    id: 'refresh',
    label: () => t('Refresh'),
    icon: IconRefresh,
    scope: 'groups:write',
    run: () => onAction({ kind: 'refresh' }),
  },
  {
    id: 'leave',
    label: () => t('Leave'),
    icon: IconLogout,
    danger: true,
    scope: 'groups:write',
    run: () => onAction({ kind: 'leave' }),
  },
];
