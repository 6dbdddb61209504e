/** The actions of a contact, for its row, its sheet and the search. */
import { IconArrowMerge, IconBan, IconPencil, IconTrash } from '@tabler/icons-react';
import { eraseContact, setBlocked } from '../../api/contacts.ts';
import type { Contact } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { ActionDefinition, Confirmation } from '../../patterns/actions/action.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { contactName } from './contact-text.ts';

export const ContactDialog = lazyDialog(() => import('./ContactDialog.tsx'), 'ContactDialog');
const MergeDialog = lazyDialog(() => import('./MergeDialog.tsx'), 'MergeDialog');

function confirmBlock(contact: Contact): Confirmation {
  const { id, blocked } = contact;
  const name = contactName(contact);
  return blocked
    ? {
        title: t('Unblock contact “{name}”?', { name }),
        text: t(
          "You receive new messages from this contact again. Messages discarded while blocked can't be recovered.",
        ),
        button: t('Unblock'),
        danger: false,
        call: setBlocked(id, false),
      }
    : {
        title: t('Block contact “{name}”?', { name }),
        text: t("Direct messages from this contact are discarded. They aren't stored and send no events."),
        button: t('Block'),
        call: setBlocked(id, true),
      };
}

export const CONTACT_ACTIONS: readonly ActionDefinition<Contact>[] = [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope: 'contacts:write',
    primary: true,
    dialog: ContactDialog,
  },
  {
    id: 'block',
    label: ({ blocked }) => (blocked ? t('Unblock') : t('Block')),
    icon: IconBan,
    scope: 'contacts:write',
    primary: true,
    confirm: confirmBlock,
  },
  {
    id: 'merge',
    label: () => t('Merge'),
    icon: IconArrowMerge,
    scope: 'contacts:write',
    dialog: MergeDialog,
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope: 'contacts:write',
    confirm: (contact) => ({
      title: t('Delete contact “{name}”?', { name: contactName(contact) }),
      text: t(
        "This permanently deletes the contact with its chats, messages and files, and its data in events, deliveries and publications. Queued messages aren't sent. If they message you again, a new contact is created.",
      ),
      button: t('Delete contact'),
      call: eraseContact(contact.id),
    }),
  },
];
