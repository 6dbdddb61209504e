/** Edits how the signatures of an endpoint's requests are verified. */
import { useQueryClient } from '@tanstack/react-query';
import { t } from '../../copy/text.ts';
import { ApiProblem } from '../../api/problem.ts';
import { refreshEndpoints, updateEndpoint } from '../../api/publishing.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { notifyDone } from '../../design/notify.ts';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';
import { type AuthForm, toAuthUpdate, toAuthForm } from './auth-form.ts';
import { SignatureFields } from './SignatureFields.tsx';

interface SignatureDialogProps {
  endpoint: PublishingEndpoint;
  opened: boolean;
  onClose: () => void;
}

export function SignatureDialog({ opened, ...rest }: SignatureDialogProps) {
  return (
    <FormDialog opened={opened} onClose={rest.onClose} title={t('Edit signature settings')} size="lg">
      <SignatureForm {...rest} />
    </FormDialog>
  );
}

const toBody = ({ auth }: { auth: AuthForm }) => ({ auth: toAuthUpdate(auth) });

function SignatureForm({ endpoint, onClose }: Omit<SignatureDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const form = useEditForm({
    object: endpoint,
    path: '/publishing-endpoints',
    fill: (object) => ({ auth: toAuthForm(object.auth) }),
    getChange: toBody,
    save: (values, base, version) => updateEndpoint(workspace.id, base.id, toBody(values), version),
    done: () => {
      onClose();
      notifyDone(t('Changes saved'));
      void refreshEndpoints(client, workspace.id);
    },
  });
  const { auth } = form.values;
  return (
    <FormBody
      form={form}
      submit={t('Save')}
      call={{
        method: 'PATCH',
        path: `/publishing-endpoints/${endpoint.id}`,
        body: toBody(form.values),
      }}
    >
      <SignatureFields
        value={auth}
        onChange={(value) => form.set('auth', value)}
        faults={form.failure instanceof ApiProblem ? form.failure.faults : []}
      />
    </FormBody>
  );
}
