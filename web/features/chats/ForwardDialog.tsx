/** Forwards a message to an existing chat or a new address. */
import { Input, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { putMessage } from '../../api/chat-cache.ts';
import { type Forwarding, forwardMessage } from '../../api/messages.ts';
import type { Message } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { notifyDone } from '../../design/notify.ts';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { RecipientPicker } from '../publishing/RecipientPicker.tsx';

interface ForwardDialogProps {
  /** Null closes the dialog. */
  message: Message | null;
  onClose: () => void;
}

export function ForwardDialog({ message, onClose }: ForwardDialogProps) {
  return (
    <FormDialog opened={message !== null} onClose={onClose} title={t('Forward message')}>
      {message && <ForwardForm key={message.id} message={message} onClose={onClose} />}
    </FormDialog>
  );
}

interface ForwardValues {
  chat_id: string;
  to: string;
}

const toBody = ({ chat_id: chatId, to }: ForwardValues): Forwarding =>
  chatId === '' ? { to: to.trim() } : { chat_id: chatId };

function ForwardForm({ message, onClose }: { message: Message; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const form = useApiForm<ForwardValues, Message>(
    { chat_id: '', to: '' },
    (values) => forwardMessage(workspace.id, message.id, toBody(values)),
    (sent) => {
      putMessage(client, workspace.id, sent);
      notifyDone(t('Message forwarded'));
      onClose();
    },
  );
  const isNew = form.values.chat_id === '';
  return (
    <FormBody
      form={form}
      submit={t('Forward')}
      call={{ method: 'POST', path: `/messages/${message.id}/forward`, body: toBody(form.values) }}
    >
      <Input.Wrapper label={t('Chat')} labelElement="div" error={form.error('chat_id')}>
        <RecipientPicker
          kind="chat_id"
          label={t('Chat')}
          clearable
          value={form.values.chat_id}
          onChange={(id) => form.set('chat_id', id)}
        />
      </Input.Wrapper>
      {isNew && <TextInput label={t('Or an address')} {...form.text('to')} />}
    </FormBody>
  );
}
