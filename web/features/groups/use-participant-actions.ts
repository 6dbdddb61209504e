/** The actions of a participant, for the menu of its row. */
import { useNavigate } from '@tanstack/react-router';
import type { TablerIcon } from '@tabler/icons-react';
import {
  IconArrowDown,
  IconArrowUp,
  IconBan,
  IconMessage,
  IconUser,
  IconUserMinus,
} from '@tabler/icons-react';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';
import { actionsFor, type GroupPart, type ParticipantAction } from './group-actions.ts';
import type { ParticipantRow } from './participant-columns.tsx';

const ACTIONS: [kind: ParticipantAction, label: string, icon: TablerIcon, danger: boolean][] = [
  ['promote', t('Promote to admin'), IconArrowUp, false],
  ['demote', t('Demote to member'), IconArrowDown, false],
  ['remove', t('Remove'), IconUserMinus, true],
  ['ban', t('Ban'), IconBan, true],
];

/** @param isEditable whether the group can be changed */
export function useParticipantActions(
  { group, instance, onAction }: GroupPart,
  isEditable: boolean,
): Action<ParticipantRow>[] {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const params = { workspace: workspace.slug };
  return [
    {
      id: 'message',
      label: () => t('Message'),
      icon: IconMessage,
      scope: 'messages:write',
      applies: ({ address }) => address !== instance?.address,
      run: ({ address }) =>
        void navigate({
          to: '/w/$workspace/chats',
          params,
          search: { new: true, instance: group.instance_id, to: address },
        }),
    },
    {
      id: 'contact',
      label: () => t('View contact'),
      icon: IconUser,
      scope: 'contacts:read',
      applies: ({ contact_id: contactId }) => contactId !== null,
      run: ({ contact_id: contactId }) =>
        void navigate({ to: '/w/$workspace/contacts', params, search: { id: contactId ?? undefined } }),
    },
    ...ACTIONS.map(([kind, label, icon, danger]): Action<ParticipantRow> => ({
      id: kind,
      label: () => label,
      icon,
      danger,
      applies: (participant) => isEditable && actionsFor(participant, group, instance).includes(kind),
      run: (participant) => onAction({ kind, participant }),
    })),
  ];
}
