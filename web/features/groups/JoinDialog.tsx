/** Joins an existing group by its invitation link or address. */
import { TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { joinGroup } from '../../api/groups.ts';
import type { Instance, Job } from '../../api/types.ts';
import { getGroup } from '../../api/use-action.ts';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { WaitingForChannel } from './WaitingForChannel.tsx';
import { InstanceSelect } from '../instances/InstanceSelect.tsx';
import { WithGroupInstance } from './WithGroupInstance.tsx';
import { framed, useChannelJob } from './use-channel-job.ts';

interface JoinDialogProps {
  opened: boolean;
  /** Initial value. */
  instanceId: string | undefined;
  onStarted: (job: Job | null) => void;
  onClose: () => void;
  onOpen: (groupId: string) => void;
}

export function JoinDialog(props: JoinDialogProps) {
  return (
    <FormDialog opened={props.opened} onClose={props.onClose} title={t('Join group')}>
      <WithGroupInstance>{(first) => <JoinFields first={first} {...props} />}</WithGroupInstance>
    </FormDialog>
  );
}

interface FieldsProps extends JoinDialogProps {
  /** Selected by default. */
  first: Instance;
}

interface Values {
  instance_id: string;
  invite: string;
}

const toCall = ({ instance_id: id, invite }: Values) => joinGroup({ instance_id: id, invite: invite.trim() });

function JoinFields({ first, opened, instanceId, onStarted, onOpen }: FieldsProps) {
  const channelJob = useChannelJob({
    opened,
    onStarted,
    onAllDone: (job) => onOpen(getGroup(job)?.id ?? ''),
  });
  const form = useApiForm<Values, Job>(
    { instance_id: instanceId ?? first.id, invite: '' },
    (values) => channelJob.run(toCall(values)),
    channelJob.done,
  );
  return (
    <FormBody form={framed(form)} submit={t('Join')} call={toCall(form.values)}>
      <InstanceSelect
        label={t('Instance')}
        operation="groups"
        connected
        value={form.values.instance_id}
        onChange={(id) => form.set('instance_id', id)}
        error={form.error('instance_id')}
      />
      <TextInput
        label={t('Invitation or address')}
        description={t('The link or address that a member shared with you.')}
        required
        maxLength={2000}
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.text('invite')}
      />
      {form.pending && <WaitingForChannel />}
    </FormBody>
  );
}
