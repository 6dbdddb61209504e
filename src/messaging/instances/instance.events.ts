/** What the event log tells of instances: never credentials, nor what they pair by. */
import { eventKind } from '../../events/event-kind.ts';
import { Instance } from './instance.schema.ts';

const about = { surface: 'messaging', scope: 'instances:read', object: Instance } as const;

export const instanceEvents = {
  'instance.created': eventKind({
    ...about,
    description: 'An instance was created.',
    sample: { desired_state: 'disconnected', state: 'created', connected_at: null },
  }),
  'instance.updated': eventKind({
    ...about,
    description: 'An instance was changed, or its channel told something new of the account.',
    previous: { name: 'Sales' },
  }),
  'instance.state_changed': eventKind({
    ...about,
    description: 'An instance went from one state to another.',
    previous: { state: 'connecting' },
  }),
  'instance.deleted': eventKind({
    ...about,
    description: 'An instance was deleted. Its messages and chats go with it, without events of their own.',
  }),
};
