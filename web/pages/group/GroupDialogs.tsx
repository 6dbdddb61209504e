/** The dialogs of a group's page, each loaded when it is first opened. What the channel refuses stands in them. */
import { Text } from '@mantine/core';
import { lazy, useState } from 'react';
import { askGroup, changeParticipants, type GroupAsk } from '../../api/groups.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { Group, Instance, Job } from '../../api/types.ts';
import { refusedOf, useEndOf } from '../../api/use-action.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { participantName, shortName } from '../groups/group-text.ts';
import type { Action, GroupAction } from './group-actions.ts';

const EditDialog = lazy(async () => ({ default: (await import('./EditDialog.tsx')).EditDialog }));
const PeopleDialog = lazy(async () => ({ default: (await import('./PeopleDialog.tsx')).PeopleDialog }));

interface GroupDialogsProps {
  group: Group;
  instance: Instance | undefined;
  /** The one that is open; null for none. */
  action: GroupAction | null;
  onClose: () => void;
}

interface Said {
  title: string;
  confirm: string;
  text: string;
  done: string;
  danger: boolean;
}

const ASKS: Record<'leave' | 'revoke' | 'refresh', Said & { ask: GroupAsk }> = {
  leave: {
    ask: 'leave',
    title: 'Leave the group?',
    confirm: 'Leave',
    text: 'Your account is taken out of it: nothing comes in from it any more, and nothing can be sent to it. Its chat stays readable. To be in it again, somebody must add you, or you need an invitation.',
    done: 'Left the group',
    danger: true,
  },
  revoke: {
    ask: 'invite/revoke',
    title: 'Revoke the invitation?',
    confirm: 'Revoke',
    text: 'With the old one nobody comes in any more, wherever it was given; that can not be undone. A new one takes its place. Who is in the group stays.',
    done: 'A new invitation is made',
    danger: true,
  },
  refresh: {
    ask: 'refresh',
    title: 'Read the group again?',
    confirm: 'Read again',
    text: 'The channel is asked how the group is now. Changes are followed by themselves, so this is rarely needed.',
    done: 'The group is as the channel tells it',
    danger: false,
  },
};

const DEEDS: Record<Action, (name: string) => Said> = {
  promote: (name) => ({
    title: `Make ${name} an admin?`,
    confirm: 'Make an admin',
    text: 'An admin adds and removes others, and changes the group.',
    done: `${name} is an admin`,
    danger: false,
  }),
  demote: (name) => ({
    title: `Make ${name} a member?`,
    confirm: 'Make a member',
    text: 'A member writes, where the group lets members, and changes nothing.',
    done: `${name} is a member`,
    danger: false,
  }),
  remove: (name) => ({
    title: `Remove ${name}?`,
    confirm: 'Remove',
    text: 'Nothing of the group reaches them any more. That can not be taken back: to be in it again they must be added, or come in by an invitation.',
    done: `${name} was removed`,
    danger: true,
  }),
  ban: (name) => ({
    title: `Ban ${name}?`,
    confirm: 'Ban',
    text: 'They are removed, and kept out until they are unbanned: no invitation lets them in.',
    done: `${name} is banned`,
    danger: true,
  }),
};

/** One that was refused is a refusal of the call. */
function orRefused(job: Job): Job {
  const error = refusedOf(job)[0]?.error;
  if (!error) return job;
  throw new ApiProblem({
    status: 422,
    code: error.code,
    title: 'Refused by the channel',
    detail: error.detail,
    requestId: job.id,
  });
}

export function GroupDialogs({ group, instance, action, onClose }: GroupDialogsProps) {
  const { workspace } = useWorkspace();
  const end = useEndOf();
  // Kept while a dialog fades out.
  const [last, setLast] = useState(action);
  if (action && action !== last) setLast(action);
  const kind = action?.kind;
  const done = (message: string) => {
    onClose();
    notifyDone(message);
  };
  const shown = last && 'participant' in last ? last : null;
  const isDeed = action !== null && 'participant' in action;
  const body = shown && {
    action: shown.kind,
    participants: [{ address: shown.participant.address }],
  };
  const { done: doneWord = '', ...said } = shown
    ? DEEDS[shown.kind](shortName(participantName(shown.participant)))
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
        const { ask, text, done: word, ...asked } = ASKS[what];
        return (
          <OnceOpened key={what} opened={kind === what}>
            <ConfirmDialog
              {...asked}
              opened={kind === what}
              call={{ method: 'POST', path: `/groups/${group.id}/${ask}` }}
              action={async () => end(await askGroup(workspace.id, group.id, ask))}
              onDone={() => done(word)}
              onClose={onClose}
            >
              <Text>{text}</Text>
            </ConfirmDialog>
          </OnceOpened>
        );
      })}
      <OnceOpened opened={isDeed}>
        {body && (
          <ConfirmDialog
            {...said}
            opened={isDeed}
            call={{ method: 'POST', path: `/groups/${group.id}/participants`, body }}
            action={async () => orRefused(await end(await changeParticipants(workspace.id, group.id, body)))}
            onDone={() => done(doneWord)}
            onClose={onClose}
          >
            <Text>{said.text}</Text>
          </ConfirmDialog>
        )}
      </OnceOpened>
    </>
  );
}
