/** What the stream tells of chats and contacts without storing it. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { ChatTyping, ContactPresence } from './live.schema.ts';

export const liveMessagingEvents = {
  'chat.typing': eventKind({
    object: ChatTyping,
    description:
      'The other side of a chat began or stopped typing. On the stream alone; not every channel tells.',
  }),
  'contact.presence': eventKind({
    object: ContactPresence,
    description: 'A contact came online or went. On the stream alone; not every channel tells.',
  }),
};
