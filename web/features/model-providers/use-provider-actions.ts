/** The actions of model providers. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../api/call.ts';
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
import { providerActions } from './provider-actions.ts';

/** @param test shows the result of a test */
export function useProviderActions(test: (provider: ModelProvider) => void) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const onSettled = () => void refreshModelProviders(client, workspace.id);
  const refreshing = useMutation({
    mutationFn: ({ id }: ModelProvider) => send(workspace.id, refreshModelProvider(id)),
    onSuccess: ({ last_error: error, models_count: count }) =>
      error
        ? notifyFailed(new Error(error.detail))
        : notifyDone(plural(count, { one: '{count} model found', other: '{count} models found' })),
    onError: notifyFailed,
    onSettled,
  });
  const switching = useMutation({
    mutationFn: ({ id, enabled }: Pick<ModelProvider, 'id' | 'enabled'>) =>
      send(workspace.id, updateModelProvider(id, { enabled })),
    onSuccess: ({ enabled }) => notifyDone(enabled ? t('Provider enabled') : t('Provider disabled')),
    onError: notifyFailed,
    onSettled,
  });
  return providerActions({
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
    mutationFn: (id: string) => send(workspace.id, testModelProvider(id)),
    onSettled: () => void refreshModelProviders(client, workspace.id),
  });
}
