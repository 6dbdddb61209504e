/** Event types of chats. Their messages have separate events. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { Chat } from './chat.schema.ts';

export const chatEvents = {
  'chat.updated': eventKind({
    object: Chat,
    description: 'A chat was archived, muted, renamed or marked as read. Not sent for each message.',
    previous: { unread: 2 },
    sample: { last_message: null },
  }),
};
