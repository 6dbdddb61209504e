/** Edits the name and the metadata of a chat. A blank name restores the one from the channel. */
import { TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { updateChat } from '../../api/chats.ts';
import type { Chat } from '../../api/types.ts';
import { changes } from '../../design/changes.ts';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';

interface ChatValues {
  title: string;
  metadata: MetadataPair[];
}

const fill = (chat: Chat): ChatValues => ({
  title: chat.title ?? '',
  metadata: toPairs(chat.metadata),
});

const getWanted = ({ title, metadata }: ChatValues) => ({
  title: title.trim() || null,
  metadata: getMetadata(metadata),
});

export const ChatDialog = (props: RecordDialogProps<Chat, unknown>) => (
  <EditDialog
    {...props}
    edit={() => t('Edit chat')}
    fill={fill}
    call={(values, chat) => updateChat(chat.id, changes(getWanted(values), chat))}
  >
    {(form) => (
      <>
        <TextInput
          label={t('Name')}
          description={t('Leave blank to use the name from the channel.')}
          data-autofocus
          {...form.text('title')}
        />
        <MetadataField form={form} />
      </>
    )}
  </EditDialog>
);
