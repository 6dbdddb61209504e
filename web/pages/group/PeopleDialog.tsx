/** Adds people to a group, or lets those in again who were banned; says of each what the channel refused. */
import { Button, Modal, Stack, Text } from '@mantine/core';
import { changeParticipants, type ParticipantsChange } from '../../api/groups.ts';
import type { Group, Job } from '../../api/types.ts';
import { outcomesOf, refusedOf } from '../../api/use-action.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import { IqClient } from '../groups/Asking.tsx';
import { participantsOf, type Person } from '../groups/people-field.ts';
import { PeopleField } from '../groups/PeopleField.tsx';
import { RefusedPeople } from '../groups/RefusedPeople.tsx';
import { useConfirm } from '../groups/use-confirm.ts';

interface PeopleDialogProps {
  opened: boolean;
  what: 'add' | 'unban';
  group: Group;
  onClose: () => void;
}

const WORDS = {
  add: {
    title: 'Add participants',
    confirm: 'Add',
    label: 'Who is added',
    says: 'Who can not be added at once is invited, where the channel works so.',
    done: 'added',
  },
  unban: {
    title: 'Unban',
    confirm: 'Unban',
    label: 'Who may come in again',
    says: 'They are not in the group by this: they may be added, or come in by an invitation.',
    done: 'unbanned',
  },
} as const;

export function PeopleDialog(props: PeopleDialogProps) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={WORDS[props.what].title}
      closeOnClickOutside={false}
    >
      <PeopleForm {...props} />
    </Modal>
  );
}

function PeopleForm({ opened, what, group, onClose }: PeopleDialogProps) {
  const { workspace } = useWorkspace();
  const words = WORDS[what];
  const bodyOf = (people: readonly Person[]): ParticipantsChange => ({
    action: what,
    participants: participantsOf(people),
  });
  const asking = useConfirm({
    opened,
    onAllDone: (job) => {
      notifyDone(`${outcomesOf(job).length} ${words.done}`);
      onClose();
    },
  });
  const form = useForm<{ participants: Person[] }, Job>(
    { participants: [] },
    ({ participants }) => asking.ask(changeParticipants(workspace.id, group.id, bodyOf(participants))),
    asking.done,
  );
  const { participants } = form.values;
  if (asking.partly) {
    const [all, refused] = [outcomesOf(asking.partly).length, refusedOf(asking.partly).length];
    return (
      <Stack>
        <Text role="status">{`${all - refused} of ${all} ${words.done}. Refused:`}</Text>
        <RefusedPeople job={asking.partly} />
        <div className={ui.dialogFoot}>
          <Button onClick={onClose} data-autofocus>
            Close
          </Button>
        </div>
      </Stack>
    );
  }
  return (
    <form onSubmit={form.submit} autoComplete="off">
      <Stack>
        <PeopleField
          label={words.label}
          description={words.says}
          instanceId={group.instance_id}
          value={participants}
          onChange={(people) => form.set('participants', people)}
          error={form.at('participants')}
          errorAt={(at) =>
            form.at('participants', String(at), 'address') ??
            form.at('participants', String(at), 'contact_id')
          }
          data-autofocus
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        {form.pending && <IqClient />}
        <AsCurl
          call={{ method: 'POST', path: `/groups/${group.id}/participants`, body: bodyOf(participants) }}
        />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            {form.pending ? 'Close' : 'Cancel'}
          </Button>
          <Button type="submit" disabled={participants.length === 0} loading={form.pending}>
            {words.confirm}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
