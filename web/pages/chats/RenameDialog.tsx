/** Gives a chat a name of one's own, or the channel's again. */
import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { putChat } from '../../api/chat-cache.ts';
import { updateChat } from '../../api/chats.ts';
import type { Chat } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';

interface RenameDialogProps {
  chat: Chat;
  opened: boolean;
  onClose: () => void;
}

export function RenameDialog({ chat, opened, onClose }: RenameDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Rename the chat">
      <RenameForm chat={chat} onClose={onClose} />
    </Modal>
  );
}

const bodyOf = ({ title }: { title: string }) => ({ title: title.trim() || null });

function RenameForm({ chat, onClose }: Omit<RenameDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const form = useForm(
    { title: chat.title ?? '' },
    (values) => updateChat(workspace.id, chat.id, bodyOf(values)),
    (answer) => {
      putChat(client, workspace.id, answer);
      onClose();
    },
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Empty: what the channel says next"
          data-autofocus
          {...form.text('title')}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={{ method: 'PATCH', path: `/chats/${chat.id}`, body: bodyOf(form.values) }} />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            Save
          </Button>
        </div>
      </Stack>
    </form>
  );
}
