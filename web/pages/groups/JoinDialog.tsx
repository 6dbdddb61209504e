/** Joins a group that there is, by its invitation or its address. */
import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { joinGroup } from '../../api/groups.ts';
import type { Instance, Job } from '../../api/types.ts';
import { groupOf } from '../../api/use-action.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import { IqClient } from './Asking.tsx';
import { InstanceField, WithInstances } from './InstanceField.tsx';
import { useConfirm } from './use-confirm.ts';

interface JoinDialogProps {
  opened: boolean;
  /** What it begins with. */
  instanceId: string | undefined;
  onAsked: (job: Job | null) => void;
  onClose: () => void;
  onOpen: (groupId: string) => void;
}

export function JoinDialog(props: JoinDialogProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Join a group" closeOnClickOutside={false}>
      <WithInstances>{(instances) => <JoinFields instances={instances} {...props} />}</WithInstances>
    </Modal>
  );
}

interface FieldsProps extends JoinDialogProps {
  instances: readonly [Instance, ...Instance[]];
}

interface Values {
  instance_id: string;
  invite: string;
}

const bodyOf = ({ instance_id: id, invite }: Values) => ({ instance_id: id, invite: invite.trim() });

function JoinFields({ instances, opened, instanceId, onAsked, onClose, onOpen }: FieldsProps) {
  const { workspace } = useWorkspace();
  const asking = useConfirm({ opened, onAsked, onAllDone: (job) => onOpen(groupOf(job)?.id ?? '') });
  const first = instances.find(({ id }) => id === instanceId) ?? instances[0];
  const form = useForm<Values, Job>(
    { instance_id: first.id, invite: '' },
    (values) => asking.ask(joinGroup(workspace.id, bodyOf(values))),
    asking.done,
  );
  return (
    <form onSubmit={form.submit} autoComplete="off">
      <Stack>
        <InstanceField
          label="Account"
          instances={instances}
          value={form.values.instance_id}
          onChange={(id) => form.set('instance_id', id)}
          error={form.error('instance_id')}
        />
        <TextInput
          label="Invitation or address"
          description="As somebody in the group gave it to you"
          required
          withAsterisk={false}
          maxLength={2000}
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          {...form.text('invite')}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        {form.pending && <IqClient />}
        <AsCurl call={{ method: 'POST', path: '/groups/join', body: bodyOf(form.values) }} />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            {form.pending ? 'Close' : 'Cancel'}
          </Button>
          <Button type="submit" loading={form.pending}>
            Join
          </Button>
        </div>
      </Stack>
    </form>
  );
}
