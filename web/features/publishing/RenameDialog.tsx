import { TextInput } from '@mantine/core';
import { updateEndpoint } from '../../api/publishing.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';

/** Renames an endpoint. */
export const RenameDialog = (props: RecordDialogProps<PublishingEndpoint, unknown>) => (
  <EditDialog
    {...props}
    edit={() => t('Rename endpoint')}
    submit={t('Rename')}
    fill={({ name }) => ({ name })}
    call={(values, { id }) => updateEndpoint(id, values)}
  >
    {(form) => <TextInput label={t('Name')} required maxLength={100} data-autofocus {...form.text('name')} />}
  </EditDialog>
);
