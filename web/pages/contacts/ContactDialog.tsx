/** Makes a contact, or changes one. */
import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { createContact, updateContact } from '../../api/contacts.ts';
import { instancesQuery } from '../../api/instances.ts';
import type { Contact } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import { bodyOf, changeOf, type ContactForm, contactFormOf } from './contact-form.ts';
import { IdentityFields } from './IdentityFields.tsx';

interface ContactDialogProps {
  opened: boolean;
  /** null makes one. */
  contact: Contact | null;
  onClose: () => void;
  onDone: (contact: Contact) => void;
}

export function ContactDialog({ opened, contact, ...rest }: ContactDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={rest.onClose}
      title={contact ? 'Change the contact' : 'Create a contact'}
      closeOnClickOutside={false}
    >
      <ContactDialogForm contact={contact} {...rest} />
    </Modal>
  );
}

function ContactDialogForm({ contact, onClose, onDone }: Omit<ContactDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const { data: instances = [] } = useInfiniteQuery(instancesQuery(workspace.id));
  const form = useForm<ContactForm, Contact>(
    contactFormOf(contact),
    (values) =>
      contact
        ? updateContact(workspace.id, contact.id, changeOf(values, contact))
        : createContact(workspace.id, bodyOf(values)),
    onDone,
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="Name"
          placeholder={contact?.profile_name ?? ''}
          data-autofocus
          {...form.text('name')}
        />
        <IdentityFields form={form} instances={instances} />
        <TextInput
          label="Picture"
          description="Address of a picture; it is kept, not fetched"
          placeholder="https://"
          {...form.text('avatar_url')}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl
          call={
            contact
              ? { method: 'PATCH', path: `/contacts/${contact.id}`, body: changeOf(form.values, contact) }
              : { method: 'POST', path: '/contacts', body: bodyOf(form.values) }
          }
        />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            {contact ? 'Save' : 'Create contact'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
