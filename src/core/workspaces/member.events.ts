/** Events that tell of members. */
import { eventKind } from '../events/event-kind.ts';
import { Member } from './member.schema.ts';

export const memberEvents = {
  'member.added': eventKind({
    object: Member,
    description: 'A person became a member, by accepting an invitation or creating the workspace.',
  }),
  'member.updated': eventKind({
    object: Member,
    description: 'The role of a member changed.',
    previous: { role: 'viewer' },
  }),
  'member.removed': eventKind({ object: Member, description: 'A member was removed, or left.' }),
};
