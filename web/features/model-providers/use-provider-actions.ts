/** The actions of model providers that need no dialog: test, refresh, enable and disable. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  refreshModelProvider,
  refreshModelProviders,
  testModelProvider,
  updateModelProvider,
} from '../../api/model-providers.ts';
import type { ModelProvider } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { plural, t } from '../../copy/text.ts';
import { notifyDone, notifyFailed } from '../../design/notify.ts';
import { type ProviderAction, providerActions } from './provider-actions.ts';

/** @param open opens the dialog of an action. @param test shows the result of a test */
export function useProviderActions(
  open: (provider: ModelProvider, action: ProviderAction) => void,
  test: (provider: ModelProvider) => void,
) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const onSettled = () => void refreshModelProviders(client, workspace.id);
  const refreshing = useMutation({
    mutationFn: ({ id }: ModelProvider) => refreshModelProvider(workspace.id, id),
    onSuccess: ({ last_error: error, models_count: count }) =>
      error
        ? notifyFailed(new Error(error.detail))
        : notifyDone(plural(count, { one: '{count} model found', other: '{count} models found' })),
    onError: notifyFailed,
    onSettled,
  });
  const switching = useMutation({
    mutationFn: ({ id, enabled }: Pick<ModelProvider, 'id' | 'enabled'>) =>
      updateModelProvider(workspace.id, id, { enabled }),
    onSuccess: ({ enabled }) => notifyDone(enabled ? t('Provider enabled') : t('Provider disabled')),
    onError: notifyFailed,
    onSettled,
  });
  return providerActions({
    open,
    test,
    refresh: refreshing.mutate,
    switchTo: ({ id }, enabled) => switching.mutate({ id, enabled }),
  });
}

/** Tests a provider. Its result is shown by `TestResult`. */
export function useProviderTest() {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => testModelProvider(workspace.id, id),
    onSettled: () => void refreshModelProviders(client, workspace.id),
  });
}
