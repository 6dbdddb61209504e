/** What the event log tells of contacts, whoever made or changed them: a caller, an import, or the channel itself. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { Contact } from './contact.schema.ts';

export const contactEvents = {
  'contact.created': eventKind({
    object: Contact,
    description: 'A contact was made: by a caller, an import, or the first message from or to an address.',
  }),
  'contact.updated': eventKind({
    object: Contact,
    description: 'A contact was changed, blocked, unblocked, or another was merged into it.',
    previous: { name: 'Alice' },
  }),
  'contact.deleted': eventKind({
    object: Contact,
    description:
      'A contact was merged into another, whose `contact.updated` follows: the object is as it was. Or it was erased: the object is `{id, object, erased: true}`.',
  }),
};
