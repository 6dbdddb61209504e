/**
 * Revokes a key and, on request, disables the objects that it created. For a revoked key, only disables these objects.
 */
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { revokeApiKey } from '../../api/api-keys.ts';
import type { ApiKey } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ConfirmAction } from '../../patterns/ConfirmAction.tsx';
import { DisableCreated } from '../created-objects/DisableCreated.tsx';

interface RevokeKeyDialogProps {
  /** Null keeps the dialog closed. */
  apiKey: ApiKey | null;
  onClose: () => void;
  onDone: (key: ApiKey, message: string) => void;
}

export function RevokeKeyDialog({ apiKey, onClose, onDone }: RevokeKeyDialogProps) {
  const { workspace } = useWorkspace();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const id = apiKey?.id ?? '';
  const isRevoked = apiKey?.state === 'revoked';
  const disables = isRevoked || (chosen ?? apiKey?.disable_created_on_end ?? false);
  const close = () => {
    setChosen(null);
    onClose();
  };
  return (
    <ConfirmAction
      opened={apiKey !== null}
      title={
        isRevoked
          ? t('Disable objects created by API key “{name}”?', { name: apiKey.name })
          : t('Revoke API key “{name}”?', { name: apiKey?.name ?? '' })
      }
      confirm={isRevoked ? t('Disable') : t('Revoke key')}
      call={{ method: 'POST', path: `/api-keys/${id}/revoke`, body: { disable_created: disables } }}
      action={() => revokeApiKey(workspace.id, id, disables)}
      onDone={(key) => {
        setChosen(null);
        onDone(key, isRevoked ? t('Created objects disabled') : t('API key revoked'));
      }}
      onClose={close}
    >
      <Stack>
        {!isRevoked && (
          <Text>
            {t("Requests with this key fail within a second, and open streams close. This can't be undone.")}
          </Text>
        )}
        {apiKey && (
          <DisableCreated
            creator={id}
            kind="key"
            value={disables}
            {...(!isRevoked && { onChange: setChosen })}
          />
        )}
      </Stack>
    </ConfirmAction>
  );
}
