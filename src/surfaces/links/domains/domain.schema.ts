/** Schemas of link domains. */
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
  Timestamp,
} from '../../../platform/http/schema.ts';
import { objectFields } from '../../../core/api/id-schema.ts';

export const DOMAIN_STATES = ['pending', 'verified', 'failed'] as const;
const DOMAIN_ERRORS = ['record_missing', 'record_differs', 'lookup_failed', 'host_taken'] as const;

const EXAMPLE_TOKEN = '4fd1b8a6c2e94f0c9b7d3a5e8c1f2a60';

const Host = Type.String({
  minLength: 1,
  maxLength: 253,
  description: 'The hostname, in lower case and ASCII. Other letters are converted to punycode.',
  examples: ['links.example.com'],
});
const Url = (description: string, example: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 4_096 }), { description, examples: [example] });
const NotFoundUrl = Url(
  'Where to redirect visitors of a link that does not exist; null for an error page.',
  'https://example.com/lost',
);
const RootUrl = Url(
  "Where to redirect visitors of the domain's root; null for the same error page.",
  'https://example.com/',
);

export const Domain = Type.Object(
  {
    ...objectFields('domain', 'domain'),
    host: Host,
    state: Enum(DOMAIN_STATES, {
      description:
        '`pending` until the record is found, then `verified`. `failed` after seven days without the record, or if another workspace has verified the host.',
      examples: ['pending'],
    }),
    verification: Type.Object(
      {
        type: Type.Literal('TXT', { description: 'Type of the record.', examples: ['TXT'] }),
        name: Type.String({
          description: 'Name of the record.',
          examples: ['_fairlead.links.example.com'],
        }),
        value: Type.String({
          description: 'Value of the record.',
          examples: [`fairlead-verify=${EXAMPLE_TOKEN}`],
        }),
      },
      { title: 'DomainVerification', description: 'The DNS record that proves that the host is yours.' },
    ),
    last_error: Nullable(
      Type.Object(
        {
          code: Enum(DOMAIN_ERRORS, { description: 'Error code.', examples: ['record_missing'] }),
          detail: Type.String({
            description: 'Human-readable explanation.',
            examples: ['There is no TXT record at _fairlead.links.example.com yet.'],
          }),
        },
        { title: 'DomainFault' },
      ),
      { description: 'Error of the last check; null if it found the record.', examples: [null] },
    ),
    checked_at: Nullable(Timestamp('Time of the last check.'), { examples: [null] }),
    next_check_at: Nullable(Timestamp('Time of the next automatic check.')),
    verified_at: Nullable(Timestamp('Time when the record was found.'), { examples: [null] }),
    not_found_url: NotFoundUrl,
    root_url: RootUrl,
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'ID of the user or API key that added the domain.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
  },
  { title: 'Domain' },
);

const settable = {
  not_found_url: Type.Optional(NotFoundUrl),
  root_url: Type.Optional(RootUrl),
  metadata: Type.Optional(Metadata),
};
export const CreateDomain = Strict({ host: Host, ...settable });
export const UpdateDomain = Strict(settable);

export const DomainList = ListQuery({
  search: searchFilter('host', 'example'),
  state: Type.Optional(
    Enum(DOMAIN_STATES, { description: 'Only domains in this state.', examples: ['verified'] }),
  ),
  host: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 253,
      description: 'Only this host.',
      examples: ['links.example.com'],
    }),
  ),
  ...createdFilters,
});

export type DomainObject = Static<typeof Domain>;
export type DomainError = { code: (typeof DOMAIN_ERRORS)[number]; detail: string };
export type CreateDomainBody = Static<typeof CreateDomain>;
export type UpdateDomainBody = Static<typeof UpdateDomain>;
