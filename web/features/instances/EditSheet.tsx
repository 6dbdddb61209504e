/** Edits the name, settings, credentials and queue of an instance. */
import { useQuery } from '@tanstack/react-query';
import { send } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import { channelsQuery, updateInstance } from '../../api/instances.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { toChange, fieldsFor, firstValues } from './instance-form.ts';
import { InstanceForm } from './InstanceForm.tsx';
import { FormSheet } from '../../patterns/form/form-frame.tsx';
import { useBase } from '../../patterns/form/use-base.ts';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';

export function EditSheet({ opened, object, onClose, onDone }: RecordDialogProps<Instance>) {
  const { workspace } = useWorkspace();
  const { data: channels } = useQuery(channelsQuery(workspace.id));
  // Undefined if the server no longer has this channel.
  const channel = channels?.find(({ id }) => id === object.channel);
  return (
    channel && (
      <FormSheet opened={opened} onClose={onClose} title={t('Edit {name}', { name: object.name })}>
        <EditForm instance={object} channel={channel} onDone={onDone} />
      </FormSheet>
    )
  );
}

interface EditFormProps {
  instance: Instance;
  channel: Channel;
  onDone: () => void;
}

function EditForm({ instance, channel, onDone }: EditFormProps) {
  const { workspace } = useWorkspace();
  const base = useBase(instance, (one, other) =>
    updateInstance(other.id, toChange(channel, other, firstValues(fieldsFor(channel), one))),
  );
  return (
    <InstanceForm
      channel={channel}
      instance={base.object}
      reload={base.reload}
      action={t('Save')}
      call={(values, mask) => updateInstance(instance.id, toChange(channel, base.object, values, mask))}
      send={async (call) => send(workspace.id, call, { version: await base.getVersion() })}
      onDone={onDone}
    />
  );
}
