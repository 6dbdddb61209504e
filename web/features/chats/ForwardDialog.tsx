/** Forwards a message to an existing chat or a new address. */
import { Input, TextInput } from '@mantine/core';
import { send } from '../../api/call.ts';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { forwardMessage } from '../../api/messages.ts';
import type { Message } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { RecipientPicker } from '../publishing/RecipientPicker.tsx';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';

type ForwardDialogProps = RecordDialogProps<Message, Message>;

export function ForwardDialog({ opened, object, onClose, onDone }: ForwardDialogProps) {
  return (
    <FormDialog opened={opened} onClose={onClose} title={t('Forward message')}>
      <ForwardForm message={object} onDone={onDone} />
    </FormDialog>
  );
}

interface ForwardFormProps extends Pick<ForwardDialogProps, 'onDone'> {
  message: Message;
}

function ForwardForm({ message, onDone }: ForwardFormProps) {
  const { workspace } = useWorkspace();
  const toCall = ({ chat_id: chatId, to }: { chat_id: string; to: string }) =>
    forwardMessage(message.id, chatId === '' ? { to: to.trim() } : { chat_id: chatId });
  const form = useApiForm({ chat_id: '', to: '' }, (values) => send(workspace.id, toCall(values)), onDone);
  const isNew = form.values.chat_id === '';
  return (
    <FormBody form={form} submit={t('Forward')} call={toCall(form.values)}>
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
