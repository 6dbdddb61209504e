/** Changes the settings, the credentials and the queue of an account. */
import { updateInstance } from '../../api/instances.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { changeOf, MASK } from '../channels/channel-form.ts';
import { ChannelForm } from '../channels/ChannelForm.tsx';
import { FormSheet } from '../../ui/FormSheet.tsx';

interface EditSheetProps {
  opened: boolean;
  instance: Instance;
  channel: Channel;
  onClose: () => void;
  onDone: () => void;
}

export function EditSheet({ opened, instance, channel, onClose, onDone }: EditSheetProps) {
  const { workspace } = useWorkspace();
  return (
    <FormSheet opened={opened} onClose={onClose} title={`Change ${instance.name}`}>
      <ChannelForm
        channel={channel}
        instance={instance}
        action="Save"
        save={(values) => updateInstance(workspace.id, instance.id, changeOf(channel, instance, values))}
        calls={(values) => [
          {
            method: 'PATCH',
            path: `/instances/${instance.id}`,
            body: changeOf(channel, instance, values, MASK),
          },
        ]}
        onDone={onDone}
        onCancel={onClose}
      />
    </FormSheet>
  );
}
