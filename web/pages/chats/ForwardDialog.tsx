/** Sends a message's content to somebody else: a chat that there is, or a new address. */
import { Button, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { putMessage } from '../../api/chat-cache.ts';
import { chatsQuery } from '../../api/chats.ts';
import { type Forwarding, forwardMessage } from '../../api/messages.ts';
import type { Message } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import { chatTitle } from './chat-text.ts';

interface ForwardDialogProps {
  /** null closes it. */
  message: Message | null;
  onClose: () => void;
}

export function ForwardDialog({ message, onClose }: ForwardDialogProps) {
  return (
    <Modal opened={message !== null} onClose={onClose} title="Forward the message">
      {message && <ForwardForm key={message.id} message={message} onClose={onClose} />}
    </Modal>
  );
}

interface ForwardValues {
  chat_id: string;
  to: string;
}

const bodyOf = ({ chat_id: chatId, to }: ForwardValues): Forwarding =>
  chatId === '' ? { to: to.trim() } : { chat_id: chatId };

function ForwardForm({ message, onClose }: { message: Message; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const { data: chats = [] } = useInfiniteQuery(chatsQuery(workspace.id, { archived: false }));
  const form = useForm<ForwardValues, Message>(
    { chat_id: '', to: '' },
    (values) => forwardMessage(workspace.id, message.id, bodyOf(values)),
    (sent) => {
      putMessage(client, workspace.id, sent);
      notifyDone('Forwarded');
      onClose();
    },
  );
  const isNew = form.values.chat_id === '';
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <NativeSelect
          label="To"
          data={[
            { value: '', label: 'Another address' },
            ...chats.map((chat) => ({ value: chat.id, label: chatTitle(chat) })),
          ]}
          value={form.values.chat_id}
          onChange={({ currentTarget }) => form.set('chat_id', currentTarget.value)}
          error={form.error('chat_id')}
        />
        {isNew && (
          <TextInput label="Address" data-autofocus required withAsterisk={false} {...form.text('to')} />
        )}
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl
          call={{ method: 'POST', path: `/messages/${message.id}/forward`, body: bodyOf(form.values) }}
        />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            Forward
          </Button>
        </div>
      </Stack>
    </form>
  );
}
