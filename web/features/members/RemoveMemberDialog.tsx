/** Removes a member, or yourself, from the workspace and, on request, disables the objects that they created. */
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { memberName } from './roles.ts';
import { t } from '../../copy/text.ts';
import { removeMember } from '../../api/members.ts';
import type { Member } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ConfirmAction } from '../../patterns/ConfirmAction.tsx';
import { DisableCreated } from '../created-objects/DisableCreated.tsx';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';

export function RemoveMemberDialog({ opened, object, onClose, onDone }: RecordDialogProps<Member>) {
  const { workspace, user } = useWorkspace();
  const [disables, setDisables] = useState(false);
  const self = object.id === user.id;
  return (
    <ConfirmAction
      opened={opened}
      title={
        self
          ? t('Leave workspace “{name}”?', { name: workspace.name })
          : t('Remove member “{name}”?', { name: memberName(object) })
      }
      confirm={self ? t('Leave workspace') : t('Remove member')}
      call={removeMember(object.id, disables)}
      onDone={() => {
        setDisables(false);
        void onDone();
      }}
      onClose={() => {
        setDisables(false);
        onClose();
      }}
    >
      <Stack>
        <Text>
          {self
            ? t('You lose access immediately. To rejoin, you need a new invitation.')
            : t('This person loses access immediately, on all devices.')}
        </Text>
        <DisableCreated
          creator={object.id}
          kind={self ? 'you' : 'member'}
          value={disables}
          onChange={setDisables}
        />
      </Stack>
    </ConfirmAction>
  );
}
