/** Event types of chats and contacts that are only streamed, not stored. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { ChatTyping, ContactPresence } from './live.schema.ts';

export const liveMessagingEvents = {
  'chat.typing': eventKind({
    object: ChatTyping,
    description:
      'A participant in a chat started or stopped typing. Event stream only; not every channel reports it.',
  }),
  'contact.presence': eventKind({
    object: ContactPresence,
    description: 'A contact went online or offline. Event stream only; not every channel reports it.',
  }),
};
