/** Begins a chat: a channel, an address and the first message; a subject where chats are threads. */
import { Button, Modal, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { instancesQuery } from '../../api/instances.ts';
import { newIdempotencyKey, type NewMessage, sendMessage } from '../../api/messages.ts';
import type { Instance, Message } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { LoadingList } from '../../ui/ListStates.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import { stateWord } from '../channels/instance-text.ts';
import { can, takesMessages } from './draft.ts';

interface NewChatDialogProps {
  opened: boolean;
  /** What it begins with. */
  instanceId: string | undefined;
  to: string | undefined;
  onClose: () => void;
}

const route = getRouteApi('/w/$workspace/chats');

export function NewChatDialog({ opened, instanceId, to, onClose }: NewChatDialogProps) {
  const { workspace } = useWorkspace();
  const { data: instances } = useInfiniteQuery(instancesQuery(workspace.id));
  return (
    <Modal opened={opened} onClose={onClose} title="New chat">
      {!instances && <LoadingList />}
      {instances?.length === 0 && (
        <Stack align="start">
          <Text>There is no channel yet that could send. The sandbox needs no account anywhere.</Text>
          <ButtonLink
            to="/w/$workspace/channels"
            params={{ workspace: workspace.slug }}
            search={{ create: true }}
          >
            Connect a channel
          </ButtonLink>
        </Stack>
      )}
      {instances && instances.length > 0 && (
        <NewChatForm instances={instances} instanceId={instanceId} to={to} onClose={onClose} />
      )}
    </Modal>
  );
}

interface Values {
  instance_id: string;
  to: string;
  subject: string;
  text: string;
}

const bodyOf = ({ instance_id: id, to, subject, text }: Values): NewMessage => ({
  instance_id: id,
  to: to.trim(),
  type: 'text',
  text: { body: text.trim() },
  ...(subject.trim() !== '' && { subject: subject.trim() }),
});

interface NewChatFormProps extends Pick<NewChatDialogProps, 'instanceId' | 'to' | 'onClose'> {
  instances: readonly Instance[];
}

function NewChatForm({ instances, instanceId, to, onClose }: NewChatFormProps) {
  const { workspace } = useWorkspace();
  const navigate = route.useNavigate();
  const [key] = useState(newIdempotencyKey);
  const first =
    instances.find(({ id }) => id === instanceId) ?? instances.find(takesMessages) ?? instances[0];
  const form = useForm<Values, Message>(
    { instance_id: first?.id ?? '', to: to ?? '', subject: '', text: '' },
    (values) => sendMessage(workspace.id, bodyOf(values), key),
    (message) =>
      void navigate({
        to: '/w/$workspace/chats/$id',
        params: { workspace: workspace.slug, id: message.chat.id },
        search: {},
      }),
  );
  const instance = instances.find(({ id }) => id === form.values.instance_id);
  const threads = can(instance, 'threads');
  const set = (values: Partial<Values>) => {
    for (const [name, value] of Object.entries(values)) form.set(name as keyof Values, value);
  };
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <NativeSelect
          label="From"
          data={instances.map((one) => ({
            value: one.id,
            label: takesMessages(one) ? one.name : `${one.name} (${stateWord(one.state)})`,
            disabled: !takesMessages(one),
          }))}
          value={form.values.instance_id}
          onChange={({ currentTarget }) => set({ instance_id: currentTarget.value, subject: '' })}
          error={form.error('instance_id')}
        />
        <TextInput
          label="To"
          description={
            instance?.channel === 'sandbox' ? 'A name, as alice: a scripted contact answers' : undefined
          }
          required
          withAsterisk={false}
          data-autofocus
          autoCapitalize="none"
          {...form.text('to')}
        />
        {threads && <TextInput label="Subject" {...form.text('subject')} />}
        <Textarea label="Message" required withAsterisk={false} rows={4} {...form.text('text')} />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={{ method: 'POST', path: '/messages', body: bodyOf(form.values) }} />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            Send
          </Button>
        </div>
      </Stack>
    </form>
  );
}
