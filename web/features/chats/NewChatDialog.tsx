/** Creates a chat: instance, address and first message, with a subject if chats are threads. */
import { Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { instancesByUseQuery, instanceQuery, findDefaultInstance, can } from '../../api/instances.ts';
import { createMessage, makeSender } from '../../api/messages.ts';
import type { Instance, Message } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ButtonLink } from '../../design/links.tsx';
import { LoadingList } from '../../patterns/ListStates.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { InstanceSelect } from '../instances/InstanceSelect.tsx';
import { getExampleAddress } from '../instances/example-address.ts';

interface NewChatDialogProps {
  opened: boolean;
  /** Initial values. */
  instanceId: string | undefined;
  to: string | undefined;
  onClose: () => void;
}

const route = getRouteApi('/w/$workspace/chats');

export function NewChatDialog({ opened, instanceId, to, onClose }: NewChatDialogProps) {
  const { workspace } = useWorkspace();
  const { data: instances } = useQuery(instancesByUseQuery(workspace.id));
  return (
    <FormDialog opened={opened} onClose={onClose} title={t('Create chat')}>
      {!instances && <LoadingList />}
      {instances?.length === 0 && (
        <Stack align="start">
          <Text>{t("Create an instance to send messages. The sandbox doesn't need an account.")}</Text>
          <ButtonLink
            to="/w/$workspace/instances"
            params={{ workspace: workspace.slug }}
            search={{ create: true }}
          >
            {t('Create instance')}
          </ButtonLink>
        </Stack>
      )}
      {instances && instances.length > 0 && (
        <NewChatForm instances={instances} instanceId={instanceId} to={to} />
      )}
    </FormDialog>
  );
}

interface Values {
  instance_id: string;
  to: string;
  subject: string;
  text: string;
}

const toCall = ({ instance_id: id, to, subject, text }: Values) =>
  createMessage({
    instance_id: id,
    to: to.trim(),
    type: 'text',
    text: { body: text.trim() },
    ...(subject.trim() !== '' && { subject: subject.trim() }),
  });

interface NewChatFormProps extends Pick<NewChatDialogProps, 'instanceId' | 'to'> {
  instances: readonly Instance[];
}

function NewChatForm({ instances, instanceId, to }: NewChatFormProps) {
  const { workspace } = useWorkspace();
  const navigate = route.useNavigate();
  const [sendMessage] = useState(() => makeSender(workspace.id));
  const first = instanceId ?? findDefaultInstance(instances)?.id ?? '';
  const form = useApiForm<Values, Message>(
    { instance_id: first, to: to ?? '', subject: '', text: '' },
    (values) => sendMessage(toCall(values)),
    (message) =>
      void navigate({
        to: '/w/$workspace/chats/$id',
        params: { workspace: workspace.slug, id: message.chat.id },
        search: {},
      }),
  );
  const { instance_id: chosen } = form.values;
  const { data: instance } = useQuery({ ...instanceQuery(workspace.id, chosen), enabled: chosen !== '' });
  const threads = can(instance, 'threads');
  const set = (values: Partial<Values>) => {
    for (const [name, value] of Object.entries(values)) form.set(name as keyof Values, value);
  };
  return (
    <FormBody form={form} submit={t('Send')} call={toCall(form.values)}>
      <InstanceSelect
        label={t('From')}
        value={form.values.instance_id}
        onChange={(id) => set({ instance_id: id, subject: '' })}
        error={form.error('instance_id')}
      />
      <TextInput
        label={t('To')}
        description={
          instance?.channel === 'sandbox'
            ? t('Enter a name, such as alice. A scripted contact replies.')
            : undefined
        }
        placeholder={getExampleAddress(instance?.channel)}
        required
        data-autofocus
        autoCapitalize="none"
        {...form.text('to')}
      />
      {threads && <TextInput label={t('Subject')} {...form.text('subject')} />}
      <Textarea label={t('Message')} required rows={4} {...form.text('text')} />
    </FormBody>
  );
}
