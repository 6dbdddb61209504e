/** Ephemeral state as the stream shows it; never stored. */
import Type from 'typebox';
import { exampleId, Id, Nullable } from '../../../platform/http/schema.ts';

const Address = Type.String({
  description: 'Who it is about, as the channel writes the address.',
  examples: ['alice'],
});

export const ChatTyping = Type.Object(
  {
    object: Type.Literal('chat_typing', {
      description: 'The type of the object.',
      examples: ['chat_typing'],
    }),
    chat_id: Id('chat', 'The chat in which somebody types.'),
    instance_id: Id('instance', 'The instance of the chat.'),
    contact_id: Nullable(Id('contact'), {
      description: 'Who types; null for somebody of a group who is no contact.',
      examples: [exampleId('contact')],
    }),
    address: Address,
    is_typing: Type.Boolean({
      description: 'false: stopped. Not every channel tells; take it back by yourself after some seconds.',
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
    contact_id: Id('contact', 'Whose presence it is.'),
    instance_id: Id('instance', 'The instance that was told.'),
    address: Address,
    is_online: Type.Boolean({ description: 'Whether the contact is online.', examples: [true] }),
  },
  { title: 'ContactPresence' },
);
