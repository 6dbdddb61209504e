/** Edits the name, settings, credentials and queue of an instance. */
import { t } from '../../copy/text.ts';
import { updateInstance } from '../../api/instances.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { toChange, fieldsFor, firstValues, MASK } from './instance-form.ts';
import { InstanceForm } from './InstanceForm.tsx';
import { FormSheet } from '../../patterns/form/form-frame.tsx';
import { useBase } from '../../patterns/form/use-base.ts';

interface EditSheetProps {
  opened: boolean;
  instance: Instance;
  channel: Channel;
  onClose: () => void;
  onDone: () => void;
}

export function EditSheet({ opened, ...rest }: EditSheetProps) {
  return (
    <FormSheet opened={opened} onClose={rest.onClose} title={t('Edit {name}', { name: rest.instance.name })}>
      <EditForm {...rest} />
    </FormSheet>
  );
}

function EditForm({ instance, channel, onDone }: Omit<EditSheetProps, 'opened' | 'onClose'>) {
  const { workspace } = useWorkspace();
  const base = useBase(instance, '/instances', (one, other) =>
    toChange(channel, other, firstValues(fieldsFor(channel), one)),
  );
  const { id } = instance;
  return (
    <InstanceForm
      channel={channel}
      instance={base.object}
      reload={base.reload}
      action={t('Save')}
      save={async (values) =>
        updateInstance(workspace.id, id, toChange(channel, base.object, values), await base.getVersion())
      }
      calls={(values) => [
        {
          method: 'PATCH',
          path: `/instances/${id}`,
          body: toChange(channel, base.object, values, MASK),
        },
      ]}
      onDone={onDone}
    />
  );
}
