/** Removes a member, or yourself, from the workspace and, on request, disables the objects that they created. */
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { removeMember } from '../../api/members.ts';
import type { Member } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ConfirmAction } from '../../patterns/ConfirmAction.tsx';
import { DisableCreated } from '../created-objects/DisableCreated.tsx';

interface RemoveMemberDialogProps {
  /** Null keeps the dialog closed. */
  member: Member | null;
  name: string;
  onClose: () => void;
  onDone: (member: Member) => void | Promise<void>;
}

export function RemoveMemberDialog({ member, name, onClose, onDone }: RemoveMemberDialogProps) {
  const { workspace, user } = useWorkspace();
  const [disables, setDisables] = useState(false);
  const self = member?.id === user.id;
  const id = member?.id ?? '';
  return (
    <ConfirmAction
      opened={member !== null}
      title={
        self
          ? t('Leave workspace “{name}”?', { name: workspace.name })
          : t('Remove member “{name}”?', { name })
      }
      confirm={self ? t('Leave workspace') : t('Remove member')}
      call={{ method: 'DELETE', path: `/members/${id}${disables ? '?disable_created=true' : ''}` }}
      action={() => removeMember(workspace.id, id, disables)}
      onDone={() => {
        setDisables(false);
        if (member) void onDone(member);
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
        {member && (
          <DisableCreated
            creator={id}
            kind={self ? 'you' : 'member'}
            value={disables}
            onChange={setDisables}
          />
        )}
      </Stack>
    </ConfirmAction>
  );
}
