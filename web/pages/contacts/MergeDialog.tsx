/** Makes two contacts one: the other is looked for by its name. */
import { Button, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { contactsQuery, mergeContacts } from '../../api/contacts.ts';
import type { Contact } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { contactName } from './contact-text.ts';

interface MergeDialogProps {
  opened: boolean;
  contact: Contact;
  onClose: () => void;
  onDone: (contact: Contact) => void;
}

const SHOWN = 8;
const TYPED_MS = 250;

export function MergeDialog({ opened, contact, onClose, onDone }: MergeDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Merge another contact into ${contactName(contact)}`}>
      <MergeForm contact={contact} onClose={onClose} onDone={onDone} />
    </Modal>
  );
}

function MergeForm({ contact, onClose, onDone }: Omit<MergeDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [name] = useDebouncedValue(typed.trim(), TYPED_MS);
  const [other, setOther] = useState('');
  const { data } = useInfiniteQuery(contactsQuery(workspace.id, name === '' ? {} : { name }));
  const found = data?.filter(({ id }) => id !== contact.id).slice(0, SHOWN);
  const merging = useMutation({
    mutationFn: () => mergeContacts(workspace.id, contact.id, other),
    onSuccess: onDone,
  });
  return (
    <Stack>
      <Text>
        {contactName(contact)} gets the addresses, chats and messages of the other, which is none by itself
        afterwards. That can not be undone.
      </Text>
      <TextInput
        label="The other contact"
        placeholder="Name begins with"
        data-autofocus
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Radio.Group aria-label="Contacts" value={other} onChange={setOther}>
        <Stack gap="xs">
          {found?.map((one) => (
            <Radio
              key={one.id}
              value={one.id}
              label={contactName(one)}
              description={one.identities.map(({ address }) => address).join(', ')}
            />
          ))}
        </Stack>
      </Radio.Group>
      {found?.length === 0 && <Text c="dimmed">No other contact has such a name.</Text>}
      {merging.error && <ProblemAlert error={merging.error} />}
      <AsCurl
        call={{
          method: 'POST',
          path: `/contacts/${contact.id}/merge`,
          body: { contact_id: other || 'con_…' },
        }}
      />
      <div className={ui.dialogFoot}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          color="red"
          disabled={other === ''}
          loading={merging.isPending}
          onClick={() => merging.mutate()}
        >
          Merge
        </Button>
      </div>
    </Stack>
  );
}
