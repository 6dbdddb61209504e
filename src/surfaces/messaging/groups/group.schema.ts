/** API schemas of groups. */
import Type, { type Static } from 'typebox';
import {
  searchFilter,
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
} from '../../../platform/http/schema.ts';
import { exampleId, Id, objectFields } from '../../../core/api/id-schema.ts';
import { PARTICIPANT_ACTIONS } from '../../../channels/contract/connection.ts';
import { GROUP_ROLES, MEMBERSHIPS } from './group-search-terms.ts';

/** Maximum participants in the object itself. */
export const MAX_SHOWN = 100;
/** Maximum participants of one call; the channel has its own limit, too. */
const MAX_AT_ONCE = 1_000;

const Subject = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'Subject of the group.',
  examples: ['Spring campaign'],
});
const Description = Type.String({
  maxLength: 4_000,
  description: 'Description of the group.',
  examples: ['All about the launch in May.'],
});
const Address = Type.String({
  description: 'Address on the channel, or the displayed name if the group hides addresses.',
  examples: ['alice'],
});

export const GroupParticipant = Type.Object(
  {
    contact_id: Nullable(Id('contact'), {
      description: 'The contact with this address; null if there is none.',
      examples: [exampleId('contact')],
    }),
    address: Address,
    name: Nullable(Type.String(), {
      description: 'Name of the contact, or else the name on the channel.',
      examples: ['Alice Meyer'],
    }),
    role: Enum(GROUP_ROLES, { description: 'Role of the participant.', examples: ['owner'] }),
  },
  { title: 'GroupParticipant' },
);

const settings = {
  announce_only: Type.Boolean({
    description: 'Whether only owners and admins can send messages.',
    examples: [false],
  }),
  locked: Type.Boolean({
    description: 'Whether only owners and admins can edit subject, description and picture.',
    examples: [false],
  }),
  members_only: Type.Boolean({ description: 'Whether joining requires an invitation.', examples: [true] }),
};

export const Group = Type.Object(
  {
    ...objectFields('group', 'group'),
    instance_id: Id('instance', 'The instance of the group.'),
    chat_id: Id('chat', 'The chat of the group.'),
    external_id: Type.String({
      description: 'Name on the channel.',
      examples: ['spring@groups.example.com'],
    }),
    subject: Type.String({ description: 'Subject of the group.', examples: ['Spring campaign'] }),
    description: Nullable(Description),
    picture: Nullable(Type.Object({ media_id: Id('media') }, { title: 'GroupPicture' }), {
      description: 'Picture of the group. `GET /media/{id}` returns its URL.',
      examples: [null],
    }),
    membership: Enum(MEMBERSHIPS, {
      description:
        "Your account's membership: `joined`, or why it is no longer in the group. The group then shows its last known state.",
      examples: ['joined'],
    }),
    role: Nullable(Enum(GROUP_ROLES), {
      description: 'Role of your account; null if unknown or not in the group.',
      examples: ['owner'],
    }),
    owner: Nullable(GroupParticipant, { description: 'Address of the owner, or of the first owner.' }),
    participants: Type.Array(GroupParticipant, {
      description: `Participants: owners, then admins, then members, by address; the first ${MAX_SHOWN}. \`GET /groups/{id}/participants\` returns all.`,
    }),
    participants_count: Type.Integer({ description: 'Number of participants.', examples: [1] }),
    settings: Type.Object(settings, { title: 'GroupSettings', description: 'Settings of the group.' }),
    invite_url: Nullable(Type.String(), {
      description: 'Link for joining; null if the channel has none or does not show it to your account.',
      examples: [null],
    }),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description:
        'ID of the API key or user that created or joined the group; null if the channel reported it first.',
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
        description: 'Address of the participant, in any format that the channel accepts.',
        examples: ['alice'],
      }),
    ),
    contact_id: Type.Optional(
      Id('contact', 'Instead of `address`: a contact with an address on the instance.'),
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
  instance_id: Id('instance', 'The instance that creates and owns the group.'),
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
        { media_id: Id('media', 'ID of a PNG or JPEG image with the status `ready`.') },
        { title: 'GroupPictureInput' },
      ),
      { description: 'The new picture; null removes it.' },
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
    description: 'The `invite_url` of the group, or its address.',
    examples: ['spring@groups.example.com'],
  }),
  metadata: Type.Optional(Metadata),
});

export const ChangeParticipants = Strict({
  action: Enum(PARTICIPANT_ACTIONS, {
    description:
      '`add`, `remove`, `promote` to admin, `demote` to member, `ban` to remove and block, or `unban`.',
    examples: ['add'],
  }),
  participants: Type.Array(ParticipantInput, {
    minItems: 1,
    maxItems: MAX_AT_ONCE,
    description: `The participants to change, at most ${MAX_AT_ONCE}.`,
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
  // Not GroupInvite: generators name the type of its URL like that of the group's `invite_url`.
  { title: 'GroupInvitation' },
);

const LongCursor = Type.Optional(
  Type.String({
    maxLength: 4_000,
    description: 'The `next_cursor` of the previous page.',
    examples: ['eyJpIjoiMDE5NC4uLiJ9'],
  }),
);

export const GroupList = ListQuery({
  instance_id: Type.Optional(Id('instance', 'Only groups of this instance.')),
  membership: Type.Optional(
    Enum(MEMBERSHIPS, {
      description: 'Only groups with this membership of your account.',
      examples: ['joined'],
    }),
  ),
  search: searchFilter('subject or address', 'spring'),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The same as `search`, which takes precedence.',
      examples: ['spring'],
    }),
  ),
  contact_id: Type.Optional(Id('contact', 'Only groups that this contact belongs to.')),
  address: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Only groups with a participant with this address. Requires `instance_id`.',
      examples: ['alice'],
    }),
  ),
  ...createdFilters,
});

export const ParticipantList = ListQuery({
  role: Type.Optional(
    Enum(GROUP_ROLES, { description: 'Only participants with this role.', examples: ['admin'] }),
  ),
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
