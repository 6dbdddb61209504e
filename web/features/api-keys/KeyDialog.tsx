/** Creates or edits an API key. The caller shows the secret that a new key comes with. */
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { createApiKey, updateApiKey } from '../../api/api-keys.ts';
import type { CallExample } from '../../api/curl.ts';
import type { AnsweredKey, ApiKey } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';
import { toBody, toChange, emptyKeyForm, toKeyForm, type KeyForm } from './key-form.ts';
import { KeyFields } from './KeyFields.tsx';

interface KeyDialogProps {
  opened: boolean;
  /** The key to edit; null to create one. */
  apiKey: ApiKey | null;
  onClose: () => void;
  onDone: (key: AnsweredKey) => void;
}

export function KeyDialog({ opened, apiKey, onClose, onDone }: KeyDialogProps) {
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={apiKey ? t('Edit {name}', { name: apiKey.name }) : t('Create API key')}
      size={640}
    >
      <KeyDialogForm apiKey={apiKey} onDone={onDone} />
    </FormDialog>
  );
}

function KeyDialogForm({ apiKey, onDone }: Pick<KeyDialogProps, 'apiKey' | 'onDone'>) {
  const { workspace } = useWorkspace();
  const form = useEditForm<ApiKey | null, KeyForm, AnsweredKey>({
    object: apiKey,
    path: '/api-keys',
    fill: (object) => (object ? toKeyForm(object) : emptyKeyForm()),
    getChange: toChange,
    save: (values, base, version) =>
      base
        ? updateApiKey(workspace.id, base.id, toChange(values, base), version)
        : createApiKey(workspace.id, toBody(values)),
    done: onDone,
  });
  const { base } = form;
  const call: CallExample = base
    ? { method: 'PATCH', path: `/api-keys/${base.id}`, body: toChange(form.values, base) }
    : { method: 'POST', path: '/api-keys', body: toBody(form.values) };
  return (
    <FormBody form={form} submit={apiKey ? t('Save') : t('Create key')} call={call} gap="lg">
      <KeyFields form={form} apiKey={base} />
    </FormBody>
  );
}
