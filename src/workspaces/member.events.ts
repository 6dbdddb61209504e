/** Events that tell of members. */
import { eventKind } from '../events/event-kind.ts';
import { Member } from './member.schema.ts';

const kind = { surface: 'getting_started', scope: 'members:read', object: Member } as const;

export const memberEvents = {
  'member.added': eventKind({
    ...kind,
    description: 'Somebody became a member: by an invitation, or by making the workspace.',
  }),
  'member.updated': eventKind({
    ...kind,
    description: 'The role of a member changed.',
    previous: { role: 'viewer' },
  }),
  'member.removed': eventKind({ ...kind, description: 'A member was removed, or left.' }),
};
