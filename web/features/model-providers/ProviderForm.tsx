/** The form that creates or edits a model provider. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ApiCall, send } from '../../api/call.ts';
import {
  checkModelProvider,
  createModelProvider,
  type NewModelProvider,
  updateModelProvider,
} from '../../api/model-providers.ts';
import type { ModelProvider, ModelProviderKind } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { FormBody } from '../../patterns/form/form-frame.tsx';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';
import { toBody, toChange, emptyProviderForm, toProviderForm } from './provider-form.ts';
import { ProviderFields } from './ProviderFields.tsx';
import { TestResult } from './TestResult.tsx';

interface ProviderFormProps {
  kind: ModelProviderKind;
  /** Null creates one. */
  provider: ModelProvider | null;
  onDone: (provider: ModelProvider) => void;
}

export function ProviderFormBody({ kind, provider, onDone }: ProviderFormProps) {
  const form = useEditForm({
    object: provider,
    fill: (object) => (object ? toProviderForm(object) : emptyProviderForm(kind)),
    call: (values, base, isShown): ApiCall<ModelProvider> =>
      base
        ? updateModelProvider(base.id, toChange(values, base, isShown))
        : createModelProvider(toBody(kind, values, isShown)),
    done: onDone,
  });
  return (
    <FormBody form={form} submit={provider ? t('Save') : t('Connect provider')}>
      <ProviderFields form={form} kind={kind} provider={provider} />
      <MetadataField form={form} />
      {!provider && <Check body={toBody(kind, form.values)} />}
    </FormBody>
  );
}

/** Tests the provider before it is created. */
function Check({ body }: { body: NewModelProvider }) {
  const { workspace } = useWorkspace();
  const test = useMutation({ mutationFn: () => send(workspace.id, checkModelProvider(body)) });
  return (
    <div>
      <Button variant="default" mb="sm" loading={test.isPending} onClick={() => test.mutate()}>
        {t('Test settings')}
      </Button>
      <TestResult test={test} />
    </div>
  );
}
