import { TextInput } from '@mantine/core';
import { updateEndpoint } from '../../api/publishing.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';

type RenameDialogProps = ObjectDialogProps<PublishingEndpoint, unknown> & { object: PublishingEndpoint };

/** Renames an endpoint. */
export const RenameDialog = ({ object, ...props }: RenameDialogProps) => (
  <EditDialog
    {...props}
    object={object}
    edit={() => t('Rename endpoint')}
    submit={t('Rename')}
    fill={(endpoint) => ({ name: endpoint?.name ?? '' })}
    call={(values) => updateEndpoint(object.id, values)}
  >
    {(form) => <TextInput label={t('Name')} required maxLength={100} data-autofocus {...form.text('name')} />}
  </EditDialog>
);
