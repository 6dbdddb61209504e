/** Makes a key, or changes one; the answer's secret, where there is one, is the caller's to show. */
import { Button, Modal, Stack } from '@mantine/core';
import { createApiKey, updateApiKey } from '../../api/api-keys.ts';
import type { CallExample } from '../../api/curl.ts';
import type { AnsweredKey, ApiKey } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import { bodyOf, changeOf, emptyKeyForm, keyFormOf, type KeyForm } from './key-form.ts';
import { KeyFields } from './KeyFields.tsx';

interface KeyDialogProps {
  opened: boolean;
  /** The key to change; null makes one. */
  apiKey: ApiKey | null;
  onClose: () => void;
  onDone: (key: AnsweredKey) => void;
}

export function KeyDialog({ opened, apiKey, onClose, onDone }: KeyDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={apiKey ? `Change ${apiKey.name}` : 'Create an API key'}
      size={640}
      closeOnClickOutside={false}
    >
      <KeyDialogForm apiKey={apiKey} onClose={onClose} onDone={onDone} />
    </Modal>
  );
}

function KeyDialogForm({ apiKey, onClose, onDone }: Omit<KeyDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const form = useForm<KeyForm, AnsweredKey>(
    apiKey ? keyFormOf(apiKey) : emptyKeyForm(),
    (values) =>
      apiKey
        ? updateApiKey(workspace.id, apiKey.id, changeOf(values, apiKey))
        : createApiKey(workspace.id, bodyOf(values)),
    (key) => onDone(key),
  );
  const call: CallExample = apiKey
    ? { method: 'PATCH', path: `/api-keys/${apiKey.id}`, body: changeOf(form.values, apiKey) }
    : { method: 'POST', path: '/api-keys', body: bodyOf(form.values) };
  return (
    <form onSubmit={form.submit}>
      <Stack gap="lg">
        <KeyFields form={form} apiKey={apiKey} />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={call} />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            {apiKey ? 'Save' : 'Create key'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
