/** The event that tells of nothing: made on demand, to see that events arrive. */
import Type from 'typebox';
import { eventKind } from './event-kind.ts';

const Ping = Type.Object({
  object: Type.Literal('ping', { description: 'The type of the object.', examples: ['ping'] }),
  message: Type.String({ description: 'A greeting.', examples: ['Hello from Fairlead.'] }),
});

export const pingEvents = {
  ping: eventKind({
    surface: 'getting_started',
    scope: 'events:read',
    description: 'Somebody asked for a test event.',
    object: Ping,
  }),
};
