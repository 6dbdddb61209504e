/** Edits how the signatures of an endpoint's requests are verified. */
import { useQueryClient } from '@tanstack/react-query';
import { ApiProblem } from '../../api/problem.ts';
import { refreshEndpoints, updateEndpoint } from '../../api/publishing.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { notifyDone } from '../../design/notify.ts';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import { toAuthForm, toAuthUpdate } from './auth-form.ts';
import { SignatureFields } from './SignatureFields.tsx';

interface SignatureDialogProps {
  endpoint: PublishingEndpoint;
  opened: boolean;
  onClose: () => void;
}

export function SignatureDialog({ endpoint, opened, onClose }: SignatureDialogProps) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  return (
    <EditDialog
      opened={opened}
      object={endpoint}
      size="lg"
      edit={() => t('Edit signature settings')}
      fill={({ auth }) => ({ auth: toAuthForm(auth) })}
      call={({ auth }, { id }) => updateEndpoint(id, { auth: toAuthUpdate(auth) })}
      onClose={onClose}
      onDone={() => {
        onClose();
        notifyDone(t('Changes saved'));
        void refreshEndpoints(client, workspace.id);
      }}
    >
      {(form) => (
        <SignatureFields
          value={form.values.auth}
          onChange={(value) => form.set('auth', value)}
          faults={form.failure instanceof ApiProblem ? form.failure.faults : []}
        />
      )}
    </EditDialog>
  );
}
