/** Event types of instances. They never contain credentials or pairing secrets. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { Instance } from './instance.schema.ts';

export const instanceEvents = {
  'instance.created': eventKind({
    object: Instance,
    description: 'An instance was created.',
    sample: { desired_state: 'disconnected', state: 'created', connected_at: null },
  }),
  'instance.updated': eventKind({
    object: Instance,
    description: 'An instance was updated, or the channel reported a change of the account.',
    previous: { name: 'Sales' },
  }),
  'instance.state_changed': eventKind({
    object: Instance,
    description: 'The state of an instance changed.',
    previous: { state: 'connecting' },
  }),
  'instance.deleted': eventKind({
    object: Instance,
    description: 'An instance was deleted. Its messages and chats are deleted too, without further events.',
  }),
};
