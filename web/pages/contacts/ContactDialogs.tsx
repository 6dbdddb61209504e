/** The dialogs over a contact's sheet. */
import { Text } from '@mantine/core';
import { lazy } from 'react';
import { eraseContact, setBlocked } from '../../api/contacts.ts';
import type { Contact } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { contactName } from './contact-text.ts';
import type { ContactAction } from './ContactSheet.tsx';

const ContactDialog = lazy(async () => ({ default: (await import('./ContactDialog.tsx')).ContactDialog }));
const MergeDialog = lazy(async () => ({ default: (await import('./MergeDialog.tsx')).MergeDialog }));

interface ContactDialogsProps {
  contact: Contact;
  /** The one that is open; null for none. */
  action: ContactAction | null;
  onClose: () => void;
  /** Something was changed. @param isGone it is no contact any more */
  onDone: (isGone: boolean) => void;
}

export function ContactDialogs({ contact, action, onClose, onDone }: ContactDialogsProps) {
  const { workspace } = useWorkspace();
  const { id, blocked } = contact;
  const name = contactName(contact);
  const verb = blocked ? 'unblock' : 'block';
  return (
    <>
      <OnceOpened opened={action === 'edit'}>
        <ContactDialog
          opened={action === 'edit'}
          contact={contact}
          onClose={onClose}
          onDone={() => onDone(false)}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'merge'}>
        <MergeDialog
          opened={action === 'merge'}
          contact={contact}
          onClose={onClose}
          onDone={() => onDone(false)}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'block'}>
        <ConfirmDialog
          opened={action === 'block'}
          title={`${blocked ? 'Unblock' : 'Block'} ${name}?`}
          confirm={blocked ? 'Unblock' : 'Block'}
          danger={!blocked}
          call={{ method: 'POST', path: `/contacts/${id}/${verb}` }}
          action={() => setBlocked(workspace.id, id, !blocked)}
          onDone={() => onDone(false)}
          onClose={onClose}
        >
          <Text>
            {blocked
              ? 'What it sends from now on arrives again; what was dropped does not come back.'
              : 'What it sends to you directly is dropped from now on: neither stored nor told.'}
          </Text>
        </ConfirmDialog>
      </OnceOpened>
      <OnceOpened opened={action === 'delete'}>
        <ConfirmDialog
          opened={action === 'delete'}
          title={`Delete ${name}?`}
          confirm="Delete contact"
          call={{ method: 'DELETE', path: `/contacts/${id}` }}
          action={() => eraseContact(workspace.id, id)}
          onDone={() => onDone(true)}
          onClose={onClose}
        >
          <Text>
            For good, and with it its chats, their messages and files, and what events, deliveries and
            publications hold of it. What waits to be sent to it is not sent. Whoever writes again is a new
            contact.
          </Text>
        </ConfirmDialog>
      </OnceOpened>
    </>
  );
}
