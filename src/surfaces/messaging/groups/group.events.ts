/** What the event log tells of groups, whoever did it: a caller, somebody in the group, or the channel. */
import Type from 'typebox';
import { eventKind } from '../../../core/events/event-kind.ts';
import { Enum, exampleId, Id, Nullable } from '../../../platform/http/schema.ts';
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
    from_me: Type.Boolean({ description: 'Whether it was your account itself.', examples: [false] }),
  }),
  { description: 'Who did it; null where the channel does not say.' },
);

const Changes = Type.Array(
  Type.Object({
    action: Enum(CHANGE_ACTIONS, {
      description:
        '`added`: came in, by whatever way; `removed`, `left` and `banned`: is not in it any more; `promoted` and `demoted`: has another role.',
      examples: ['added'],
    }),
    address: Type.String({ description: 'Whom it is about.', examples: ['bob'] }),
    contact_id: Contact(null),
    role: Nullable(Enum(GROUP_ROLES), {
      description: 'The role from now on; null for somebody who is not in it any more.',
      examples: ['member'],
    }),
  }),
  { description: 'What changed, at most 1,000 of it: the object has the count.' },
);

export const groupEvents = {
  'group.created': eventKind({
    object: Group,
    description: 'A group was made by your account, through the API or the console.',
    also: { by: By },
    sample: { participants_count: 1 },
  }),
  'group.updated': eventKind({
    object: Group,
    description:
      'Subject, description, picture, settings, invitation or metadata of a group changed, by whomever.',
    previous: { subject: 'Campaign' },
    also: { by: By },
  }),
  'group.participants_changed': eventKind({
    object: Group,
    description: 'Somebody came into a group, left it, was removed, banned, promoted or demoted.',
    also: { changes: Changes, by: By },
  }),
  'group.joined': eventKind({
    object: Group,
    description:
      'Your account is in a group: it joined, was added, or the group was there when the channel first told of it.',
    also: { by: By },
    sample: { role: 'member' },
  }),
  'group.left': eventKind({
    object: Group,
    description: 'Your account is no longer in a group.',
    also: {
      why: Enum(MEMBERSHIPS.slice(1), {
        description: 'The account left, was removed or banned, or the group was destroyed.',
        examples: ['removed'],
      }),
      by: By,
    },
    sample: { membership: 'removed', role: null },
  }),
};
