/** Removes a member, or lets you leave, with or without what the person created. */
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { removeMember } from '../../api/members.ts';
import type { Member } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
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
    <ConfirmDialog
      opened={member !== null}
      title={self ? `Leave ${workspace.name}?` : `Remove ${name}?`}
      confirm={self ? 'Leave workspace' : 'Remove member'}
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
            ? 'You lose access immediately. To come back you need a new invitation.'
            : 'They lose access immediately, on all devices.'}
        </Text>
        {member && (
          <DisableCreated creator={id} who={self ? 'You' : 'They'} value={disables} onChange={setDisables} />
        )}
      </Stack>
    </ConfirmDialog>
  );
}
