/** Edits the name and the metadata of a chat. A blank name restores the one from the channel. */
import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { putChat } from '../../api/chat-cache.ts';
import { updateChat } from '../../api/chats.ts';
import type { Chat } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { changes } from '../../design/changes.ts';
import { metadataOf, type MetadataPair, pairsOf } from '../../patterns/form/metadata.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';

interface ChatDialogProps {
  chat: Chat;
  opened: boolean;
  onClose: () => void;
}

export function ChatDialog({ chat, opened, onClose }: ChatDialogProps) {
  return (
    <FormDialog opened={opened} onClose={onClose} title={t('Edit chat')}>
      <ChatForm chat={chat} onClose={onClose} />
    </FormDialog>
  );
}

interface ChatValues {
  title: string;
  metadata: MetadataPair[];
}

const wantedOf = ({ title, metadata }: ChatValues) => ({
  title: title.trim() || null,
  metadata: metadataOf(metadata),
});

function ChatForm({ chat, onClose }: Omit<ChatDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const form = useApiForm(
    { title: chat.title ?? '', metadata: pairsOf(chat.metadata) },
    (values: ChatValues) => updateChat(workspace.id, chat.id, changes(wantedOf(values), chat)),
    (answer) => {
      putChat(client, workspace.id, answer);
      onClose();
    },
  );
  return (
    <FormBody
      form={form}
      submit={t('Save')}
      call={{ method: 'PATCH', path: `/chats/${chat.id}`, body: changes(wantedOf(form.values), chat) }}
    >
      <TextInput
        label={t('Name')}
        description={t('Leave blank to use the name from the channel.')}
        data-autofocus
        {...form.text('title')}
      />
      <MetadataField form={form} />
    </FormBody>
  );
}
