/** Link domains as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  objectFields,
  Strict,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';

export const DOMAIN_STATES = ['pending', 'verified', 'failed'] as const;
const DOMAIN_FAULTS = ['record_missing', 'record_differs', 'lookup_failed', 'host_taken'] as const;

const EXAMPLE_TOKEN = '4fd1b8a6c2e94f0c9b7d3a5e8c1f2a60';

const Host = Type.String({
  minLength: 1,
  maxLength: 253,
  description: 'The host name, in lower case and ASCII: what is given in other letters becomes punycode.',
  examples: ['links.example.com'],
});
const Url = (description: string, example: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 4_096 }), { description, examples: [example] });
const NotFoundUrl = Url(
  'Where visitors of an unknown slug go; null for a page that says so.',
  'https://example.com/lost',
);
const RootUrl = Url(
  'Where visitors of the domain without any slug go; null for the page of unknown slugs.',
  'https://example.com/',
);

export const Domain = Type.Object(
  {
    ...objectFields('domain', 'domain'),
    host: Host,
    state: Enum(DOMAIN_STATES, {
      description:
        '`pending` until the record is found, `verified` from then on, `failed` after seven days without it, or where the host is verified elsewhere.',
      examples: ['pending'],
    }),
    verification: Type.Object(
      {
        type: Type.Literal('TXT', { description: 'Type of the record.', examples: ['TXT'] }),
        name: Type.String({
          description: 'Where the record has to stand.',
          examples: ['_fairlead.links.example.com'],
        }),
        value: Type.String({
          description: 'What it has to say.',
          examples: [`fairlead-verify=${EXAMPLE_TOKEN}`],
        }),
      },
      { title: 'DomainVerification', description: 'The DNS record that shows that the host is yours.' },
    ),
    last_error: Nullable(
      Type.Object(
        {
          code: Enum(DOMAIN_FAULTS, { description: 'What was wrong.', examples: ['record_missing'] }),
          detail: Type.String({
            description: 'Human-readable explanation.',
            examples: ['There is no TXT record at _fairlead.links.example.com yet.'],
          }),
        },
        { title: 'DomainFault' },
      ),
      { description: 'What the latest look-up came to; null where it found the record.', examples: [null] },
    ),
    checked_at: Nullable(Timestamp('When the record was looked up last.'), { examples: [null] }),
    next_check_at: Nullable(Timestamp('When it is looked up again by itself.')),
    verified_at: Nullable(Timestamp('When the record was found.'), { examples: [null] }),
    not_found_url: NotFoundUrl,
    root_url: RootUrl,
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'Id of the person or key that added it.',
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
export type DomainFault = { code: (typeof DOMAIN_FAULTS)[number]; detail: string };
export type CreateDomainBody = Static<typeof CreateDomain>;
export type UpdateDomainBody = Static<typeof UpdateDomain>;
