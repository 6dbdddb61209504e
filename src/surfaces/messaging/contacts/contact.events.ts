/** Event types of contacts, whether created or changed by a caller, an import or the channel itself. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { Contact } from './contact.schema.ts';

export const contactEvents = {
  'contact.created': eventKind({
    object: Contact,
    description: 'A contact was created by a call, an import, or the first message from or to an address.',
  }),
  'contact.updated': eventKind({
    object: Contact,
    description: 'A contact was updated, blocked or unblocked, or another contact was merged into it.',
    previous: { name: 'Alice' },
  }),
  'contact.deleted': eventKind({
    object: Contact,
    description:
      'A contact was merged into another or erased. After a merge, the object shows its last state, and `contact.updated` of the other contact follows. After an erasure, the object is `{id, object, erased: true}`.',
  }),
};
