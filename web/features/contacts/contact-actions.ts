/** The actions of a contact, for its row, its sheet and the search. */
import { IconArrowMerge, IconBan, IconPencil, IconTrash } from '@tabler/icons-react';
import type { Contact } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';

export type ContactAction = 'edit' | 'block' | 'merge' | 'delete';

/** @param open opens the dialog of an action */
export const contactActions = (
  open: (contact: Contact, action: ContactAction) => void,
): Action<Contact>[] => {
  const action = (
    id: ContactAction,
    label: (contact: Contact) => string,
    rest: Partial<Action<Contact>>,
  ): Action<Contact> => ({
    id,
    label,
    scope: 'contacts:write',
    run: (contact) => open(contact, id),
    ...rest,
  });
  return [
    action('edit', () => t('Edit'), { icon: IconPencil, primary: true }),
    action('block', ({ blocked }) => (blocked ? t('Unblock') : t('Block')), { icon: IconBan, primary: true }),
    action('merge', () => t('Merge'), { icon: IconArrowMerge }),
    action('delete', () => t('Delete'), { icon: IconTrash, danger: true }),
  ];
};
