/** Adds people to a group or unbans them, and lists the ones that the channel rejected. */
import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { plural, t } from '../../copy/text.ts';
import { changeParticipants, participantsQuery } from '../../api/groups.ts';
import { fieldProblem } from '../../api/problem.ts';
import type { Group, Job } from '../../api/types.ts';
import { getOutcomes, getRefused } from '../../api/use-action.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { notifyDone } from '../../design/notify.ts';
import ui from '../../design/ui.module.css';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { WaitingForChannel } from './WaitingForChannel.tsx';
import { getParticipants, type Person } from './people-field.ts';
import { PeopleField } from './PeopleField.tsx';
import { RejectedPeople } from './RejectedPeople.tsx';
import { framed, useChannelJob } from './use-channel-job.ts';

interface PeopleDialogProps {
  opened: boolean;
  what: 'add' | 'unban';
  group: Group;
  onClose: () => void;
}

const TEXTS = {
  add: {
    title: t('Add participants'),
    submit: t('Add'),
    description: t("People who can't be added directly get an invitation, if the channel supports it."),
    done: (count: number) =>
      plural(count, { one: '{count} participant added', other: '{count} participants added' }),
    partlyDone: (values: { done: number; total: number }) => t('{done} of {total} added. Rejected:', values),
  },
  unban: {
    title: t('Unban people'),
    submit: t('Unban'),
    description: t("Unbanning doesn't add people to the group. They can be added or join by invitation."),
    done: (count: number) =>
      plural(count, { one: '{count} person unbanned', other: '{count} people unbanned' }),
    partlyDone: (values: { done: number; total: number }) =>
      t('{done} of {total} unbanned. Rejected:', values),
  },
};

export function PeopleDialog(props: PeopleDialogProps) {
  return (
    <FormDialog opened={props.opened} onClose={props.onClose} title={TEXTS[props.what].title}>
      <PeopleForm {...props} />
    </FormDialog>
  );
}

function PeopleForm({ opened, what, group, onClose }: PeopleDialogProps) {
  const { workspace } = useWorkspace();
  const texts = TEXTS[what];
  const { data: present } = useInfiniteQuery(participantsQuery(workspace.id, group.id));
  const toCall = (people: readonly Person[]) =>
    changeParticipants(group.id, { action: what, participants: getParticipants(people) });
  const channelJob = useChannelJob({
    opened,
    onAllDone: (job) => {
      notifyDone(texts.done(getOutcomes(job).length));
      onClose();
    },
  });
  const form = useApiForm<{ participants: Person[] }, Job>(
    { participants: [] },
    async ({ participants }) => {
      if (participants.length === 0) throw fieldProblem('/participants', t('Select at least one person.'));
      return channelJob.run(toCall(participants));
    },
    channelJob.done,
  );
  const { participants } = form.values;
  if (channelJob.partly) {
    const total = getOutcomes(channelJob.partly).length;
    const done = total - getRefused(channelJob.partly).length;
    return (
      <Stack>
        <Text role="status">{texts.partlyDone({ done, total })}</Text>
        <RejectedPeople job={channelJob.partly} />
        <div className={ui.dialogFoot}>
          <Button onClick={onClose} data-autofocus>
            {t('Close')}
          </Button>
        </div>
      </Stack>
    );
  }
  return (
    <FormBody form={framed(form)} submit={texts.submit} call={toCall(participants)}>
      <PeopleField
        label={t('People')}
        description={texts.description}
        instanceId={group.instance_id}
        without={present?.map(({ address }) => address) ?? []}
        value={participants}
        onChange={(people) => form.set('participants', people)}
        error={form.at('participants')}
        errorAt={(at) =>
          form.at('participants', String(at), 'address') ?? form.at('participants', String(at), 'contact_id')
        }
        data-autofocus
      />
      {form.pending && <WaitingForChannel />}
    </FormBody>
  );
}
