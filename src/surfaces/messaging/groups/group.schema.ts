/** Groups as the API shows and takes them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  exampleId,
  Id,
  ListQuery,
  Metadata,
  Nullable,
  objectFields,
  Strict,
  timeFields,
} from '../../../platform/http/schema.ts';
import { PARTICIPANT_ACTIONS } from '../../../channels/contract/connection.ts';
import { GROUP_ROLES, MEMBERSHIPS } from './group-search-terms.ts';

/** Maximum participants in the object itself. */
export const MAX_SHOWN = 100;
/** Of one call; the channel's own limit comes beside it. */
const MAX_AT_ONCE = 1_000;

const Subject = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'What the group is called.',
  examples: ['Spring campaign'],
});
const Description = Type.String({
  maxLength: 4_000,
  description: 'What the group is for.',
  examples: ['All about the launch in May.'],
});
const Address = Type.String({
  description: 'The address on the channel; of somebody whom the group hides, the name that it shows.',
  examples: ['alice'],
});

export const GroupParticipant = Type.Object(
  {
    contact_id: Nullable(Id('contact'), {
      description: 'The contact with this address; null for somebody who is none.',
      examples: [exampleId('contact')],
    }),
    address: Address,
    name: Nullable(Type.String(), {
      description: "The contact's name, else what the channel says.",
      examples: ['Alice Meyer'],
    }),
    role: Enum(GROUP_ROLES, { description: 'What the participant may do.', examples: ['owner'] }),
  },
  { title: 'GroupParticipant' },
);

const settings = {
  announce_only: Type.Boolean({ description: 'Only owners and admins write.', examples: [false] }),
  locked: Type.Boolean({
    description: 'Only owners and admins change subject, description and picture.',
    examples: [false],
  }),
  members_only: Type.Boolean({ description: 'Nobody comes in uninvited.', examples: [true] }),
};

export const Group = Type.Object(
  {
    ...objectFields('group', 'group'),
    instance_id: Id('instance', 'The instance whose group it is.'),
    chat_id: Id('chat', 'Its chat: messages to the group go there.'),
    external_id: Type.String({
      description: 'What the channel calls it.',
      examples: ['spring@groups.example.com'],
    }),
    subject: Type.String({ description: 'What it is called.', examples: ['Spring campaign'] }),
    description: Nullable(Description),
    picture: Nullable(Type.Object({ media_id: Id('media') }, { title: 'GroupPicture' }), {
      description: 'Its picture: `GET /media/{id}` has an address of it.',
      examples: [null],
    }),
    membership: Enum(MEMBERSHIPS, {
      description:
        "Your account's membership: `joined`, or why it is no longer in the group. The group then shows its last known state.",
      examples: ['joined'],
    }),
    role: Nullable(Enum(GROUP_ROLES), {
      description: "Your account's role; null where it is not known, or it is not in the group.",
      examples: ['owner'],
    }),
    owner: Nullable(GroupParticipant, { description: 'Its owner, or the first of several.' }),
    participants: Type.Array(GroupParticipant, {
      description: `Participants: owners, then admins, then members, by address; the first ${MAX_SHOWN}. \`GET /groups/{id}/participants\` has all.`,
    }),
    participants_count: Type.Integer({ description: 'How many are in it.', examples: [1] }),
    settings: Type.Object(settings, { title: 'GroupSettings', description: 'How it works.' }),
    invite_url: Nullable(Type.String(), {
      description: 'Link for joining; null if the channel has none or does not show it to your account.',
      examples: [null],
    }),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'The key or person that made it or joined it; null where the channel told of it first.',
      examples: [exampleId('api_key')],
    }),
    ...timeFields,
  },
  { title: 'Group' },
);

const ParticipantInput = Strict(
  {
    address: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'An address, in any way of writing it that the channel knows.',
        examples: ['alice'],
      }),
    ),
    contact_id: Type.Optional(
      Id('contact', 'In the place of `address`: a contact that the instance has an address of.'),
    ),
  },
  { title: 'GroupParticipantInput' },
);

const SettingsInput = Strict(
  {
    announce_only: Type.Optional(settings.announce_only),
    locked: Type.Optional(settings.locked),
    members_only: Type.Optional(settings.members_only),
  },
  { title: 'GroupSettingsInput' },
);

export const CreateGroup = Strict({
  instance_id: Id('instance', 'The instance that makes it, and owns it.'),
  subject: Subject,
  description: Type.Optional(Nullable(Description)),
  settings: Type.Optional(SettingsInput),
  participants: Type.Optional(
    Type.Array(ParticipantInput, {
      maxItems: MAX_AT_ONCE,
      description: `Addresses to add or invite, at most ${MAX_AT_ONCE}; the channel may accept fewer.`,
      examples: [[{ address: 'alice' }, { contact_id: exampleId('contact') }]],
    }),
  ),
  metadata: Type.Optional(Metadata),
});

export const UpdateGroup = Strict({
  subject: Type.Optional(Subject),
  description: Type.Optional(Nullable(Description)),
  settings: Type.Optional(SettingsInput),
  picture: Type.Optional(
    Nullable(
      Strict(
        { media_id: Id('media', 'An image that is ready: PNG or JPEG suits every channel.') },
        { title: 'GroupPictureInput' },
      ),
      { description: 'null takes it away.' },
    ),
  ),
  metadata: Type.Optional(Metadata),
});

export const JoinGroup = Strict({
  instance_id: Id('instance', 'The instance that joins.'),
  invite: Type.String({
    minLength: 1,
    maxLength: 2_000,
    pattern: '\\S',
    description: "An invitation as the group's `invite_url` has it, or the group's address.",
    examples: ['spring@groups.example.com'],
  }),
  metadata: Type.Optional(Metadata),
});

export const ChangeParticipants = Strict({
  action: Enum(PARTICIPANT_ACTIONS, {
    description:
      '`add`, `remove`; `promote` to admin, `demote` to member; `ban` removes and keeps out, `unban` ends that.',
    examples: ['add'],
  }),
  participants: Type.Array(ParticipantInput, {
    minItems: 1,
    maxItems: MAX_AT_ONCE,
    description: `To whom, at most ${MAX_AT_ONCE}.`,
    examples: [[{ address: 'bob' }]],
  }),
});

export const GroupInvite = Type.Object(
  {
    object: Type.Literal('group_invite', {
      description: 'The type of the object.',
      examples: ['group_invite'],
    }),
    group_id: Id('group'),
    url: Nullable(Type.String(), {
      description: 'Link for joining; null if your account cannot see it.',
      examples: ['xmpp:spring@groups.example.com?join'],
    }),
  },
  { title: 'GroupInvite' },
);

const LongCursor = Type.Optional(
  Type.String({
    maxLength: 4_000,
    description: '`next_cursor` of the answer before.',
    examples: ['eyJpIjoiMDE5NC4uLiJ9'],
  }),
);

export const GroupList = ListQuery({
  instance_id: Type.Optional(Id('instance', 'Only groups of this instance.')),
  membership: Type.Optional(
    Enum(MEMBERSHIPS, {
      description: "Only those in which your account's place is this.",
      examples: ['joined'],
    }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only those with this in their subject or address, in any case.',
      examples: ['spring'],
    }),
  ),
  contact_id: Type.Optional(Id('contact', 'Only those that this contact is in.')),
  address: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Only those that somebody with this address is in; together with `instance_id`.',
      examples: ['alice'],
    }),
  ),
  ...createdFilters,
});

export const ParticipantList = ListQuery({
  role: Type.Optional(Enum(GROUP_ROLES, { description: 'Only those with this role.', examples: ['admin'] })),
  cursor: LongCursor,
});

export type GroupObject = Static<typeof Group>;
export type GroupParticipantObject = Static<typeof GroupParticipant>;
export type CreateGroupBody = Static<typeof CreateGroup>;
export type UpdateGroupBody = Static<typeof UpdateGroup>;
export type JoinGroupBody = Static<typeof JoinGroup>;
export type ChangeParticipantsBody = Static<typeof ChangeParticipants>;
export type ParticipantInputBody = Static<typeof ParticipantInput>;
export type GroupSettingsBody = Static<typeof SettingsInput>;
export type ListGroupsQuery = Static<typeof GroupList>;
export type ListParticipantsQuery = Static<typeof ParticipantList>;
