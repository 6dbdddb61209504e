/** The dialogs of one model provider. */
import { Text } from '@mantine/core';
import { deleteModelProvider } from '../../api/model-providers.ts';
import type { ModelProvider } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { ConfirmAction } from '../../patterns/ConfirmAction.tsx';
import type { ProviderAction } from './provider-actions.ts';
import { ProviderSheet } from './ProviderSheet.tsx';

interface ProviderDialogsProps {
  provider: ModelProvider;
  /** The dialog that is open; null for none. */
  action: ProviderAction | null;
  onClose: () => void;
  /** @param isGone whether the provider was deleted */
  onDone: (isGone: boolean) => void;
}

export function ProviderDialogs({ provider, action, onClose, onDone }: ProviderDialogsProps) {
  const { workspace } = useWorkspace();
  const { id, name } = provider;
  return (
    <>
      <ProviderSheet
        opened={action === 'edit'}
        provider={provider}
        onClose={onClose}
        onDone={() => onDone(false)}
      />
      <ConfirmAction
        opened={action === 'delete'}
        title={t('Delete provider “{name}”?', { name })}
        confirm={t('Delete provider')}
        call={{ method: 'DELETE', path: `/model-providers/${id}` }}
        action={() => deleteModelProvider(workspace.id, id)}
        onDone={() => onDone(true)}
        onClose={onClose}
      >
        <Text>
          {t(
            "Its models can't be called anymore, and routes skip them. Recorded usage is kept. To stop calls temporarily, disable the provider instead.",
          )}
        </Text>
      </ConfirmAction>
    </>
  );
}
