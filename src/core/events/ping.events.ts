/** The test event, created on demand to check that events arrive. */
import Type from 'typebox';
import { Id } from '../api/id-schema.ts';
import { eventKind } from './event-kind.ts';

const Ping = Type.Object({
  object: Type.Literal('ping', { description: 'The type of the object.', examples: ['ping'] }),
  webhook_id: Id('webhook', 'ID of the webhook that the ping is for. Other webhooks do not receive it.'),
  message: Type.String({ description: 'A greeting.', examples: ['Hello from Fairlead.'] }),
});

export const pingEvents = {
  ping: eventKind({
    description: 'A test of a webhook was requested. The event is delivered only to that webhook.',
    object: Ping,
  }),
};
