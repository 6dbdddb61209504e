/**
 * Revokes a key and, on request, disables the objects that it created. For a revoked key, only disables these objects.
 */
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { revokeApiKey } from '../../api/api-keys.ts';
import type { ApiKey } from '../../api/types.ts';
import { ConfirmAction } from '../../patterns/ConfirmAction.tsx';
import { DisableCreated } from '../created-objects/DisableCreated.tsx';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';

export function RevokeKeyDialog({ opened, object, onClose, onDone }: RecordDialogProps<ApiKey, ApiKey>) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const { id, name, state, disable_created_on_end: always } = object;
  const isRevoked = state === 'revoked';
  const disables = isRevoked || (chosen ?? always);
  const close = () => {
    setChosen(null);
    onClose();
  };
  return (
    <ConfirmAction
      opened={opened}
      title={
        isRevoked
          ? t('Disable objects created by API key “{name}”?', { name })
          : t('Revoke API key “{name}”?', { name })
      }
      confirm={isRevoked ? t('Disable') : t('Revoke key')}
      call={revokeApiKey(id, disables)}
      onDone={(key) => {
        setChosen(null);
        return onDone(key);
      }}
      onClose={close}
    >
      <Stack>
        {!isRevoked && (
          <Text>
            {t("Requests with this key fail within a second, and open streams close. This can't be undone.")}
          </Text>
        )}
        <DisableCreated
          creator={id}
          kind="key"
          value={disables}
          {...(!isRevoked && { onChange: setChosen })}
        />
      </Stack>
    </ConfirmAction>
  );
}
