/** Creates or edits an API key. The caller shows the secret of a new key. */
import type { ApiCall } from '../../api/call.ts';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import { t } from '../../copy/text.ts';
import { createApiKey, updateApiKey } from '../../api/api-keys.ts';
import type { AnsweredKey, ApiKey } from '../../api/types.ts';
import { toBody, toChange, emptyKeyForm, toKeyForm, type KeyForm } from './key-form.ts';
import { KeyFields } from './KeyFields.tsx';

export const KeyDialog = (props: ObjectDialogProps<ApiKey, AnsweredKey>) => (
  <EditDialog
    {...props}
    create={t('Create key')}
    title={t('Create API key')}
    edit={({ name }) => t('Edit {name}', { name })}
    size={640}
    gap="lg"
    fill={(key): KeyForm => (key ? toKeyForm(key) : emptyKeyForm())}
    call={(form, key): ApiCall<AnsweredKey> =>
      key ? updateApiKey(key.id, toChange(form, key)) : createApiKey(toBody(form))
    }
  >
    {(form) => <KeyFields form={form} apiKey={form.base} />}
  </EditDialog>
);
