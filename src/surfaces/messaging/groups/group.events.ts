/** Event types of groups, whether caused by a caller, a participant or the channel. */
import Type from 'typebox';
import { eventKind } from '../../../core/events/event-kind.ts';
import { Enum, Nullable } from '../../../platform/http/schema.ts';
import { exampleId, Id } from '../../../core/api/id-schema.ts';
import { Group } from './group.schema.ts';
import { GROUP_ROLES, MEMBERSHIPS } from './group-search-terms.ts';

const CHANGE_ACTIONS = ['added', 'removed', 'left', 'banned', 'promoted', 'demoted'] as const;

const Contact = (example: string | null) =>
  Nullable(Id('contact'), {
    description: 'The contact with this address; null if there is none.',
    examples: [example],
  });

const By = Nullable(
  Type.Object({
    address: Type.String({ description: 'The address on the channel.', examples: ['alice'] }),
    contact_id: Contact(exampleId('contact')),
    from_me: Type.Boolean({ description: 'Whether your own account made the change.', examples: [false] }),
  }),
  { description: 'The account that made the change; null if the channel does not report it.' },
);

const Changes = Type.Array(
  Type.Object({
    action: Enum(CHANGE_ACTIONS, {
      description:
        '`added`: joined, by any means; `removed`, `left` and `banned`: no longer in the group; `promoted` and `demoted`: the role changed.',
      examples: ['added'],
    }),
    address: Type.String({ description: 'Address of the participant.', examples: ['bob'] }),
    contact_id: Contact(null),
    role: Nullable(Enum(GROUP_ROLES), {
      description: 'The new role; null if no longer a participant.',
      examples: ['member'],
    }),
  }),
  { description: 'The first 1,000 changes. `participants_count` of the object is the new total.' },
);

export const groupEvents = {
  'group.created': eventKind({
    object: Group,
    description: 'Your account created a group, through the API or the console.',
    also: { by: By },
    sample: { participants_count: 1 },
  }),
  'group.updated': eventKind({
    object: Group,
    description: 'The subject, description, picture, settings, invitation or metadata of a group changed.',
    previous: { subject: 'Campaign' },
    also: { by: By },
  }),
  'group.participants_changed': eventKind({
    object: Group,
    description: 'A participant joined or left a group, or was removed, banned, promoted or demoted.',
    also: { changes: Changes, by: By },
  }),
  'group.joined': eventKind({
    object: Group,
    description:
      'Your account is in a group: it joined, was added, or was already in it when the channel first reported the group.',
    also: { by: By },
    sample: { role: 'member' },
  }),
  'group.left': eventKind({
    object: Group,
    description: 'Your account is no longer in a group.',
    also: {
      why: Enum(MEMBERSHIPS.slice(1), {
        description: 'Why: your account left, was removed or banned, or the group was destroyed.',
        examples: ['removed'],
      }),
      by: By,
    },
    sample: { membership: 'removed', role: null },
  }),
};
