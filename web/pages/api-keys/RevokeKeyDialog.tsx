/** Revokes a key, with or without what it created; of a key that is revoked already, only disables what it created. */
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { revokeApiKey } from '../../api/api-keys.ts';
import type { ApiKey } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
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
    <ConfirmDialog
      opened={apiKey !== null}
      title={isRevoked ? `Disable what ${apiKey.name} created?` : `Revoke ${apiKey?.name ?? ''}?`}
      confirm={isRevoked ? 'Disable' : 'Revoke key'}
      call={{ method: 'POST', path: `/api-keys/${id}/revoke`, body: { disable_created: disables } }}
      action={() => revokeApiKey(workspace.id, id, disables)}
      onDone={(key) => {
        setChosen(null);
        onDone(key, isRevoked ? 'Created objects disabled' : 'Key revoked');
      }}
      onClose={close}
    >
      <Stack>
        {!isRevoked && (
          <Text>
            Within a second no call with it succeeds, on any node, and open streams end. This can't be undone.
          </Text>
        )}
        {apiKey && (
          <DisableCreated
            creator={id}
            who="It"
            value={disables}
            {...(!isRevoked && { onChange: setChosen })}
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}
