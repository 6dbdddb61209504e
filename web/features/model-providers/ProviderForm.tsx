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
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { bodyOf, changeOf, emptyProviderForm, type ProviderForm, providerFormOf } from './provider-form.ts';
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
  const form = useApiForm<ProviderForm, ModelProvider>(
    provider ? providerFormOf(provider) : emptyProviderForm(kind),
    (values) =>
      provider
        ? updateModelProvider(workspace.id, provider.id, changeOf(values, provider))
        : createModelProvider(workspace.id, bodyOf(kind, values)),
    onDone,
  );
  return (
    <FormBody
      form={form}
      submit={provider ? t('Save') : t('Create and test')}
      call={
        provider
          ? {
              method: 'PATCH',
              path: `/model-providers/${provider.id}`,
              body: changeOf(form.values, provider, true),
            }
          : { method: 'POST', path: '/model-providers', body: bodyOf(kind, form.values, true) }
      }
    >
      <ProviderFields form={form} kind={kind} provider={provider} />
      {!provider && <Check body={bodyOf(kind, form.values)} />}
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
