import { TextInput } from '@mantine/core';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { updateEndpoint } from '../../api/publishing.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';

interface RenameDialogProps {
  endpoint: PublishingEndpoint;
  opened: boolean;
  onClose: () => void;
  onDone: () => void;
}

/** Renames an endpoint. */
export function RenameDialog({ opened, ...rest }: RenameDialogProps) {
  return (
    <FormDialog opened={opened} onClose={rest.onClose} title={t('Rename endpoint')}>
      <RenameForm {...rest} />
    </FormDialog>
  );
}

function RenameForm({ endpoint, onDone }: Omit<RenameDialogProps, 'opened' | 'onClose'>) {
  const { workspace } = useWorkspace();
  const form = useEditForm({
    object: endpoint,
    path: '/publishing-endpoints',
    fill: ({ name }) => ({ name }),
    getChange: (values) => values,
    save: (values, base, version) => updateEndpoint(workspace.id, base.id, values, version),
    done: onDone,
  });
  return (
    <FormBody
      form={form}
      submit={t('Rename')}
      call={{ method: 'PATCH', path: `/publishing-endpoints/${endpoint.id}`, body: form.values }}
    >
      <TextInput label={t('Name')} required maxLength={100} data-autofocus {...form.text('name')} />
    </FormBody>
  );
}
