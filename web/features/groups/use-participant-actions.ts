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
import { changeParticipants } from '../../api/groups.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { GroupParticipant, Job } from '../../api/types.ts';
import { getRefused, useEndOf } from '../../api/use-action.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import type { ActionDefinition, Confirmation } from '../../patterns/actions/action.ts';
import { actionsFor, type GroupPart, type ParticipantAction } from './group-actions.ts';
import { participantName, shortName } from './group-text.ts';
import type { ParticipantRow } from './participant-columns.tsx';

interface Change {
  kind: ParticipantAction;
  label: string;
  icon: TablerIcon;
  danger: boolean;
  ask: (name: string) => Pick<Confirmation, 'title' | 'text' | 'button'>;
  done: (name: string) => string;
}

const CHANGES: readonly Change[] = [
  {
    kind: 'promote',
    label: t('Promote to admin'),
    icon: IconArrowUp,
    danger: false,
    ask: (name) => ({
      title: t('Promote {name} to admin?', { name }),
      text: t('Admins can add and remove participants and edit the group.'),
      button: t('Promote'),
    }),
    done: (name) => t('{name} is now an admin', { name }),
  },
  {
    kind: 'demote',
    label: t('Demote to member'),
    icon: IconArrowDown,
    danger: false,
    ask: (name) => ({
      title: t('Demote {name} to member?', { name }),
      text: t("Members can't manage participants or edit a locked group."),
      button: t('Demote'),
    }),
    done: (name) => t('{name} is now a member', { name }),
  },
  {
    kind: 'remove',
    label: t('Remove'),
    icon: IconUserMinus,
    danger: true,
    ask: (name) => ({
      title: t('Remove {name}?', { name }),
      text: t(
        'They no longer receive messages from this group. To rejoin, they must be added or use an invitation.',
      ),
      button: t('Remove'),
    }),
    done: (name) => t('{name} was removed', { name }),
  },
  {
    kind: 'ban',
    label: t('Ban'),
    icon: IconBan,
    danger: true,
    ask: (name) => ({
      title: t('Ban {name}?', { name }),
      text: t("They are removed and can't rejoin until you unban them, not even with an invitation."),
      button: t('Ban'),
    }),
    done: (name) => t('{name} was banned', { name }),
  },
];

/** Throws if the channel rejected the participant. */
function throwIfRejected(job: Job): Job {
  const error = getRefused(job)[0]?.error;
  if (!error) return job;
  throw new ApiProblem({
    status: 422,
    code: error.code,
    title: t('Rejected by the channel'),
    detail: error.detail,
    requestId: job.id,
  });
}

const getName = (participant: GroupParticipant): string => shortName(participantName(participant));

/** @param isEditable whether the group can be changed */
export function useParticipantActions(
  { group, instance }: GroupPart,
  isEditable: boolean,
): readonly ActionDefinition<ParticipantRow>[] {
  const end = useEndOf();
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
    ...CHANGES.map(({ kind, label, icon, danger, ask, done }): ActionDefinition<ParticipantRow> => ({
      id: kind,
      label: () => label,
      icon,
      danger,
      applies: (participant) => isEditable && actionsFor(participant, group, instance).includes(kind),
      confirm: (participant) => ({
        ...ask(getName(participant)),
        danger,
        call: changeParticipants(group.id, {
          action: kind,
          participants: [{ address: participant.address }],
        }),
        action: async (job: Job) => throwIfRejected(await end(job)),
      }),
      done: (participant) => done(getName(participant)),
    })),
  ];
}
