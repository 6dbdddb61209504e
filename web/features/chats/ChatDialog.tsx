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
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';

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

const fill = (chat: Chat): ChatValues => ({ title: chat.title ?? '', metadata: toPairs(chat.metadata) });

const getWanted = ({ title, metadata }: ChatValues) => ({
  title: title.trim() || null,
  metadata: getMetadata(metadata),
});

const toChange = (values: ChatValues, chat: Chat) => changes(getWanted(values), chat);

function ChatForm({ chat, onClose }: Omit<ChatDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const form = useEditForm({
    object: chat,
    path: '/chats',
    fill,
    getChange: toChange,
    save: (values, base, version) => updateChat(workspace.id, base.id, toChange(values, base), version),
    done: (answer) => {
      putChat(client, workspace.id, answer);
      onClose();
    },
  });
  return (
    <FormBody
      form={form}
      submit={t('Save')}
      call={{ method: 'PATCH', path: `/chats/${chat.id}`, body: toChange(form.values, form.base) }}
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
