/** Contacts as the API shows and takes them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  exampleId,
  Id,
  ListQuery,
  Metadata,
  Nullable,
  objectFields,
  Strict,
  timeFields,
} from '../../../platform/http/schema.ts';

/** Maximum addresses of a contact, which are part of the object. */
export const MAX_IDENTITIES = 100;
const MAX_CHECKED = 100;

const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'What you call the contact.',
  examples: ['Alice Meyer'],
});
const AvatarUrl = Type.String({
  maxLength: 2048,
  pattern: '^[hH][tT][tT][pP][sS]?://[^\\s]+$',
  description: 'Address of a picture, http or https. It is kept and shown, never fetched by the server.',
  examples: ['https://example.com/alice.png'],
});
const Address = Type.String({
  minLength: 1,
  maxLength: 500,
  description: "The contact's address on the instance's channel.",
  examples: ['alice'],
});

const Identity = Type.Object(
  {
    instance_id: Id('instance', 'The instance that knows the contact by this address.'),
    address: Type.String({
      description: 'Its address there, as the channel writes it.',
      examples: ['alice'],
    }),
  },
  { title: 'ContactIdentity' },
);

export const Contact = Type.Object(
  {
    ...objectFields('contact', 'contact'),
    name: Nullable(Name),
    profile_name: Nullable(Type.String(), {
      description: 'What the channel says that the contact is called.',
      examples: ['alice'],
    }),
    identities: Type.Array(Identity, {
      description: `Its addresses, by instance; there may be several on one. At most ${MAX_IDENTITIES}.`,
    }),
    avatar_url: Nullable(AvatarUrl),
    blocked: Type.Boolean({
      description: 'Whether what it sends to you directly is dropped.',
      examples: [false],
    }),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'The key or person that made it; null where it was heard of on a channel first.',
      examples: [exampleId('api_key')],
    }),
    ...timeFields,
  },
  { title: 'Contact' },
);

const IdentityInput = Strict(
  { instance_id: Id('instance'), address: Address },
  { title: 'ContactIdentityInput' },
);
const Identities = Type.Array(IdentityInput, {
  maxItems: MAX_IDENTITIES,
  description: 'Its addresses, by instance. Each belongs to one contact.',
});

const own = {
  name: Type.Optional(Nullable(Name)),
  avatar_url: Type.Optional(Nullable(AvatarUrl)),
  metadata: Type.Optional(Metadata),
};

export const CreateContact = Strict({ ...own, identities: Type.Optional(Identities) });
export const UpdateContact = Strict({ ...own, identities: Type.Optional(Identities) });
export const UpsertContact = Strict({ instance_id: Id('instance'), address: Address, ...own });
export const MergeContact = Strict({
  contact_id: Id('contact', 'The contact to merge into the one in the path. It no longer exists afterwards.'),
});
export const CheckContacts = Strict({
  instance_id: Id('instance', 'The instance that asks its channel.'),
  addresses: Type.Array(Address, {
    minItems: 1,
    maxItems: MAX_CHECKED,
    description: `Addresses, at most ${MAX_CHECKED}.`,
    examples: [['alice', 'bob']],
  }),
});

export const ImportQuery = Strict({
  instance_id: Type.Optional(Id('instance', 'The instance of lines that name none.')),
});

const Prefix = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description, examples: [example] }));

const contactFilters = {
  name: Prefix(
    'Only those whose name (or `profile_name`, where you gave none) begins so, in any case. They come by name then.',
    'ali',
  ),
  address: Prefix(
    'Only those with an address that begins so, in any case. They come by address then, unless `name` is given too.',
    'alice',
  ),
  instance_id: Type.Optional(Id('instance', 'Only those with an address on this instance.')),
  blocked: Type.Optional(
    Type.Boolean({ description: 'Only those that are blocked, or only the others.', examples: [true] }),
  ),
  ...createdFilters,
};

export const ContactList = ListQuery({
  ...contactFilters,
  // It may hold a name.
  cursor: Type.Optional(
    Type.String({
      maxLength: 4000,
      description: '`next_cursor` of the answer before.',
      examples: ['eyJpIjoiMDE5NC4uLiJ9'],
    }),
  ),
});

export const ContactExport = Strict(contactFilters);

export type ContactObject = Static<typeof Contact>;
export type ListContactsQuery = Static<typeof ContactList>;
export type ContactFilterQuery = Static<typeof ContactExport>;
export type CreateContactBody = Static<typeof CreateContact>;
export type UpdateContactBody = Static<typeof UpdateContact>;
export type UpsertContactBody = Static<typeof UpsertContact>;
export type CheckContactsBody = Static<typeof CheckContacts>;
export type IdentityInputBody = Static<typeof IdentityInput>;
