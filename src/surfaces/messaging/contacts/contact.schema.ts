/** API schemas of contacts. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../../platform/http/pattern-words.ts';
import {
  createdFilters,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
} from '../../../platform/http/schema.ts';
import { exampleId, Id, objectFields } from '../../../core/api/id-schema.ts';

/** Maximum addresses of a contact, which are part of the object. */
export const MAX_IDENTITIES = 100;
const MAX_CHECKED = 100;

const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'Your name for the contact.',
  examples: ['Alice Meyer'],
});
const AvatarUrl = Type.String({
  maxLength: 2048,
  pattern: inWords('^[hH][tT][tT][pP][sS]?://[^\\s]+$', 'must be an http or https URL'),
  description: 'URL of a picture, http or https. Fairlead never downloads it.',
  examples: ['https://example.com/alice.png'],
});
const Address = Type.String({
  minLength: 1,
  maxLength: 500,
  description: "Address of the contact on the instance's channel.",
  examples: ['alice'],
});

const Identity = Type.Object(
  {
    instance_id: Id('instance', 'The instance of the address.'),
    address: Type.String({
      description: 'The address, in the format of the channel.',
      examples: ['alice'],
    }),
    reachable: Type.Boolean({
      description:
        'Whether messages can reach the address, as last reported by the channel. false after the person has blocked the account.',
      examples: [true],
    }),
  },
  { title: 'ContactIdentity' },
);

export const Contact = Type.Object(
  {
    ...objectFields('contact', 'contact'),
    name: Nullable(Name),
    profile_name: Nullable(Type.String(), {
      description: 'Name of the contact on the channel.',
      examples: ['alice'],
    }),
    username: Nullable(Type.String(), {
      description:
        'Username of the contact on the channel, which may change hands; null if it has none, or the channel does not report it.',
      examples: ['alice.meyer'],
    }),
    identities: Type.Array(Identity, {
      description: `Addresses of the contact, by instance; an instance can have several. At most ${MAX_IDENTITIES}.`,
    }),
    avatar_url: Nullable(AvatarUrl),
    blocked: Type.Boolean({
      description: 'Whether direct messages from the contact are discarded.',
      examples: [false],
    }),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'ID of the API key or user that created the contact; null if it was added from a channel.',
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
  description: 'Addresses of the contact, by instance. Each belongs to only one contact.',
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
  contact_id: Id('contact', 'The contact to merge into the contact in the path. It is deleted.'),
});
export const CheckContacts = Strict({
  instance_id: Id('instance', 'The instance that checks the addresses.'),
  addresses: Type.Array(Address, {
    minItems: 1,
    maxItems: MAX_CHECKED,
    description: `Addresses, at most ${MAX_CHECKED}.`,
    examples: [['alice', 'bob']],
  }),
});

export const ImportQuery = Strict({
  instance_id: Type.Optional(Id('instance', "The instance for rows that don't specify one.")),
});

const Prefix = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description, examples: [example] }));

const contactFilters = {
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Only contacts whose name, `profile_name` or `username` contains words that start with each of these words, ignoring case. Sorts by the matching word.',
      examples: ['meyer al'],
    }),
  ),
  name: Prefix(
    'Only contacts whose name (or `profile_name`, if there is no name) starts with this text, ignoring case. Sorts by name.',
    'ali',
  ),
  address: Prefix(
    'Only contacts with an address that starts with this text, ignoring case. Sorts by address unless `name` or `search` is set.',
    'alice',
  ),
  instance_id: Type.Optional(Id('instance', 'Only contacts with an address on this instance.')),
  blocked: Type.Optional(
    Type.Boolean({ description: 'Only contacts that are (or are not) blocked.', examples: [true] }),
  ),
  ...createdFilters,
};

export const ContactList = ListQuery({
  ...contactFilters,
  // A cursor may contain a name.
  cursor: Type.Optional(
    Type.String({
      maxLength: 4000,
      description: 'The `next_cursor` of the previous page.',
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
