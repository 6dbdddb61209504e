/** Ephemeral state as the stream shows it; never stored. */
import Type from 'typebox';
import { exampleId, Id } from '../../../core/api/id-schema.ts';
import { Nullable } from '../../../platform/http/schema.ts';

const Address = Type.String({
  description: 'Address of the person, in the format of the channel.',
  examples: ['alice'],
});

export const ChatTyping = Type.Object(
  {
    object: Type.Literal('chat_typing', {
      description: 'The type of the object.',
      examples: ['chat_typing'],
    }),
    chat_id: Id('chat', 'The chat.'),
    instance_id: Id('instance', 'The instance of the chat.'),
    contact_id: Nullable(Id('contact'), {
      description: 'The contact who is typing; null for a participant of a group who is not a contact.',
      examples: [exampleId('contact')],
    }),
    address: Address,
    is_typing: Type.Boolean({
      description:
        'Whether typing is in progress. Not every channel reports when it stops, so end the indicator yourself after a few seconds.',
      examples: [true],
    }),
  },
  { title: 'ChatTyping' },
);

export const ContactPresence = Type.Object(
  {
    object: Type.Literal('contact_presence', {
      description: 'The type of the object.',
      examples: ['contact_presence'],
    }),
    contact_id: Id('contact', 'The contact.'),
    instance_id: Id('instance', 'The instance that received the presence.'),
    address: Address,
    is_online: Type.Boolean({ description: 'Whether the contact is online.', examples: [true] }),
  },
  { title: 'ContactPresence' },
);
