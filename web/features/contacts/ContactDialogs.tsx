/** The dialogs of a contact's actions. */
import { Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { eraseContact, setBlocked } from '../../api/contacts.ts';
import type { Contact } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ConfirmAction, OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { contactName } from './contact-text.ts';
import type { ContactAction } from './contact-actions.ts';

const ContactDialog = lazily(() => import('./ContactDialog.tsx'), 'ContactDialog');
const MergeDialog = lazily(() => import('./MergeDialog.tsx'), 'MergeDialog');

interface ContactDialogsProps {
  contact: Contact;
  /** The open dialog; null for none. */
  action: ContactAction | null;
  onClose: () => void;
  /** @param isDeleted whether the contact no longer exists */
  onDone: (isDeleted: boolean) => void;
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
        <ConfirmAction
          opened={action === 'block'}
          title={blocked ? t('Unblock contact “{name}”?', { name }) : t('Block contact “{name}”?', { name })}
          confirm={blocked ? t('Unblock') : t('Block')}
          danger={!blocked}
          call={{ method: 'POST', path: `/contacts/${id}/${verb}` }}
          action={() => setBlocked(workspace.id, id, !blocked)}
          onDone={() => onDone(false)}
          onClose={onClose}
        >
          <Text>
            {blocked
              ? t(
                  "You receive new messages from this contact again. Messages discarded while blocked can't be recovered.",
                )
              : t("Direct messages from this contact are discarded. They aren't stored and send no events.")}
          </Text>
        </ConfirmAction>
      </OnceOpened>
      <OnceOpened opened={action === 'delete'}>
        <ConfirmAction
          opened={action === 'delete'}
          title={t('Delete contact “{name}”?', { name })}
          confirm={t('Delete contact')}
          call={{ method: 'DELETE', path: `/contacts/${id}` }}
          action={() => eraseContact(workspace.id, id)}
          onDone={() => onDone(true)}
          onClose={onClose}
        >
          <Text>
            {t(
              "This permanently deletes the contact with its chats, messages and files, and its data in events, deliveries and publications. Queued messages aren't sent. If they message you again, a new contact is created.",
            )}
          </Text>
        </ConfirmAction>
      </OnceOpened>
    </>
  );
}
