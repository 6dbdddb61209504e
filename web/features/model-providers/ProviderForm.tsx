/** The form that creates or edits a model provider. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
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
  const { workspace } = useWorkspace();
  const form = useEditForm({
    object: provider,
    path: '/model-providers',
    fill: (object) => (object ? toProviderForm(object) : emptyProviderForm(kind)),
    getChange: toChange,
    save: (values, base, version) =>
      base
        ? updateModelProvider(workspace.id, base.id, toChange(values, base), version)
        : createModelProvider(workspace.id, toBody(kind, values)),
    done: onDone,
  });
  const { base } = form;
  return (
    <FormBody
      form={form}
      submit={provider ? t('Save') : t('Connect provider')}
      call={
        base
          ? {
              method: 'PATCH',
              path: `/model-providers/${base.id}`,
              body: toChange(form.values, base, true),
            }
          : { method: 'POST', path: '/model-providers', body: toBody(kind, form.values, true) }
      }
    >
      <ProviderFields form={form} kind={kind} provider={provider} />
      <MetadataField form={form} />
      {!provider && <Check body={toBody(kind, form.values)} />}
    </FormBody>
  );
}

/** Tests the provider before it is created. */
function Check({ body }: { body: NewModelProvider }) {
  const { workspace } = useWorkspace();
  const test = useMutation({ mutationFn: () => checkModelProvider(workspace.id, body) });
  return (
    <div>
      <Button variant="default" mb="sm" loading={test.isPending} onClick={() => test.mutate()}>
        {t('Test settings')}
      </Button>
      <TestResult test={test} />
    </div>
  );
}
