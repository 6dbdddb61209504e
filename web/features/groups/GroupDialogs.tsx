/** The dialogs of a group's page, each loaded when it is first opened. They show the errors of the channel. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { askGroup, changeParticipants, type GroupAsk } from '../../api/groups.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { Group, Instance, Job } from '../../api/types.ts';
import { getRefused, useEndOf } from '../../api/use-action.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ConfirmAction, OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { notifyDone } from '../../design/notify.ts';
import { participantName, shortName } from './group-text.ts';
import type { GroupAction, ParticipantAction } from './group-actions.ts';

const EditDialog = lazily(() => import('./EditDialog.tsx'), 'EditDialog');
const PeopleDialog = lazily(() => import('./PeopleDialog.tsx'), 'PeopleDialog');

interface GroupDialogsProps {
  group: Group;
  instance: Instance | undefined;
  /** The open dialog; null for none. */
  action: GroupAction | null;
  onClose: () => void;
}

interface Confirmation {
  title: string;
  confirm: string;
  text: string;
  done: string;
  danger: boolean;
}

type GroupConfirmation = Omit<Confirmation, 'title'> & { ask: GroupAsk; title: (name: string) => string };

const CONFIRMATIONS: Record<'leave' | 'revoke' | 'refresh', GroupConfirmation> = {
  leave: {
    ask: 'leave',
    title: (name) => t('Leave group “{name}”?', { name }),
    confirm: t('Leave'),
    text: t(
      'The instance no longer sends or receives messages in this group. The chat stays readable. To rejoin, you must be added or use an invitation.',
    ),
    done: t('Left the group'),
    danger: true,
  },
  revoke: {
    ask: 'invite/revoke',
    title: (name) => t('Revoke invitation link of group “{name}”?', { name }),
    confirm: t('Revoke'),
    text: t(
      "The current link stops working and is replaced with a new one. Participants stay in the group. This can't be undone.",
    ),
    done: t('Invitation link replaced'),
    danger: true,
  },
  refresh: {
    ask: 'refresh',
    title: (name) => t('Refresh group “{name}”?', { name }),
    confirm: t('Refresh'),
    text: t(
      'This loads the group from the channel again. It is rarely needed because changes are synced automatically.',
    ),
    done: t('Group refreshed'),
    danger: false,
  },
};

const PARTICIPANT_CONFIRMATIONS: Record<ParticipantAction, (name: string) => Confirmation> = {
  promote: (name) => ({
    title: t('Promote {name} to admin?', { name }),
    confirm: t('Promote'),
    text: t('Admins can add and remove participants and edit the group.'),
    done: t('{name} is now an admin', { name }),
    danger: false,
  }),
  demote: (name) => ({
    title: t('Demote {name} to member?', { name }),
    confirm: t('Demote'),
    text: t("Members can't manage participants or edit a locked group."),
    done: t('{name} is now a member', { name }),
    danger: false,
  }),
  remove: (name) => ({
    title: t('Remove {name}?', { name }),
    confirm: t('Remove'),
    text: t(
      'They no longer receive messages from this group. To rejoin, they must be added or use an invitation.',
    ),
    done: t('{name} was removed', { name }),
    danger: true,
  }),
  ban: (name) => ({
    title: t('Ban {name}?', { name }),
    confirm: t('Ban'),
    text: t("They are removed and can't rejoin until you unban them, not even with an invitation."),
    done: t('{name} was banned', { name }),
    danger: true,
  }),
};

/** Of channels where the account owns its groups, so that leaving one deletes it. */
const DELETING: Record<string, GroupConfirmation> = {
  whatsapp: {
    ...CONFIRMATIONS.leave,
    title: (name) => t('Delete group “{name}” for everyone?', { name }),
    confirm: t('Delete group'),
    text: t(
      "Your number owns the group and can't leave it. WhatsApp deletes the group for all participants. The chat stays readable. This can't be undone.",
    ),
    done: t('Group deleted'),
  },
};

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

export function GroupDialogs({ group, instance, action, onClose }: GroupDialogsProps) {
  const { workspace } = useWorkspace();
  const end = useEndOf();
  // Keeps the content while a dialog fades out.
  const [last, setLast] = useState(action);
  if (action && action !== last) setLast(action);
  const kind = action?.kind;
  const done = (message: string) => {
    onClose();
    notifyDone(message);
  };
  const shown = last && 'participant' in last ? last : null;
  const isForParticipant = action !== null && 'participant' in action;
  const body = shown && {
    action: shown.kind,
    participants: [{ address: shown.participant.address }],
  };
  const { done: message = '', ...confirmation } = shown
    ? PARTICIPANT_CONFIRMATIONS[shown.kind](shortName(participantName(shown.participant)))
    : { title: '', confirm: '', text: '' };
  return (
    <>
      <OnceOpened opened={kind === 'edit'}>
        <EditDialog opened={kind === 'edit'} group={group} instance={instance} onClose={onClose} />
      </OnceOpened>
      {(['add', 'unban'] as const).map((what) => (
        <OnceOpened key={what} opened={kind === what}>
          <PeopleDialog opened={kind === what} what={what} group={group} onClose={onClose} />
        </OnceOpened>
      ))}
      {(['leave', 'revoke', 'refresh'] as const).map((what) => {
        const deleting = what === 'leave' ? DELETING[instance?.channel ?? ''] : undefined;
        const { ask, text, title, done: success, ...texts } = deleting ?? CONFIRMATIONS[what];
        return (
          <OnceOpened key={what} opened={kind === what}>
            <ConfirmAction
              {...texts}
              title={title(group.subject)}
              opened={kind === what}
              call={{ method: 'POST', path: `/groups/${group.id}/${ask}` }}
              action={async () => end(await askGroup(workspace.id, group.id, ask))}
              onDone={() => done(success)}
              onClose={onClose}
            >
              <Text>{text}</Text>
            </ConfirmAction>
          </OnceOpened>
        );
      })}
      <OnceOpened opened={isForParticipant}>
        {body && (
          <ConfirmAction
            {...confirmation}
            opened={isForParticipant}
            call={{ method: 'POST', path: `/groups/${group.id}/participants`, body }}
            action={async () =>
              throwIfRejected(await end(await changeParticipants(workspace.id, group.id, body)))
            }
            onDone={() => done(message)}
            onClose={onClose}
          >
            <Text>{confirmation.text}</Text>
          </ConfirmAction>
        )}
      </OnceOpened>
    </>
  );
}
