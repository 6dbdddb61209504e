/** Short links as the API shows them, and what it takes for them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  Id,
  ListQuery,
  Metadata,
  Nullable,
  objectFields,
  Strict,
  timeFields,
  Timestamp,
} from '../http/schema.ts';
import { DEVICES, OPERATING_SYSTEMS } from './redirect/route.ts';
import { TagName } from './tags/tag.schema.ts';

export const LINK_STATES = ['active', 'expired', 'exhausted', 'archived'] as const;
export const LINK_SORTS = ['created_at', 'clicks', 'last_clicked_at'] as const;
export const LONGEST_URL = 4_096;
export const MOST_TAGS = 50;

const Url = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: LONGEST_URL, description, examples: [example] });

const Domain = Type.String({
  minLength: 1,
  maxLength: 260,
  description: "Host of the short address: this server's own, or one of your verified domains.",
  examples: ['localhost:3000'],
});
const SLUG_MEANS = 'What stands behind the host: letters and digits of any script, `_` and `-`. Case counts.';
const slug = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, description, examples: ['launch'] });
const Slug = slug(SLUG_MEANS);
const Target = Url('Where the link leads.', 'https://example.com/spring?ref=mail');
const Title = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'What you call it; shown in previews.',
  examples: ['Spring launch'],
});
const Description = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: 'A line or two about it; shown in previews.',
  examples: ['Everything new this spring.'],
});
const Image = Url('Picture for previews, http or https.', 'https://example.com/spring.png');

const Tags = Type.Array(TagName, {
  maxItems: MOST_TAGS,
  description: 'Names of its tags. Those that are not there yet are made; case does not tell two apart.',
  examples: [['spring']],
});

const ExpiresAt = Timestamp('From when on it leads no further; null for never.');
const ExpiredUrl = Url(
  'Where visitors go once it is expired or exhausted, instead of a page that says so.',
  'https://example.com/over',
);
const MaxClicks = Type.Integer({
  minimum: 1,
  maximum: 2_000_000_000,
  description: 'How many people it sends on at most; bots and previews use none up.',
  examples: [100],
});
const When = Strict(
  {
    country: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Z]{2}$', examples: ['DE'] }), {
        minItems: 1,
        maxItems: 250,
        description: 'ISO 3166-1 alpha-2.',
        examples: [['DE']],
      }),
    ),
    device: Type.Optional(
      Type.Array(Enum(DEVICES), {
        minItems: 1,
        maxItems: DEVICES.length,
        description: 'Kinds of device.',
        examples: [['mobile']],
      }),
    ),
    os: Type.Optional(
      Type.Array(Enum(OPERATING_SYSTEMS), {
        minItems: 1,
        maxItems: OPERATING_SYSTEMS.length,
        description: 'Operating systems.',
        examples: [['ios']],
      }),
    ),
    language: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z]{2,3}$', examples: ['de'] }), {
        minItems: 1,
        maxItems: 100,
        description: 'Primary language subtags.',
        examples: [['de']],
      }),
    ),
  },
  { minProperties: 1, description: 'All conditions that are there must hold; of each, one value must.' },
);
const Targeting = Type.Array(
  Strict({ when: When, url: Url('Where such visitors go.', 'https://example.com/de') }),
  {
    maxItems: 50,
    description: 'Other targets for some visitors: the first rule that fits decides.',
    examples: [[{ when: { country: ['DE'] }, url: 'https://example.com/de' }]],
  },
);

export const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
const utmValue = (name: string, example: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    description: `\`utm_${name}\` of the target.`,
    examples: [example],
  });
const UTM_FIELDS = {
  source: utmValue('source', 'newsletter'),
  medium: utmValue('medium', 'email'),
  campaign: utmValue('campaign', 'spring'),
  term: Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    description: '`utm_term` of the target.',
    examples: [null],
  }),
  content: Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
    description: '`utm_content` of the target.',
    examples: [null],
  }),
};
const UTM_DESCRIPTION =
  'Set in the target (and in those of `targeting`), in the place of what it has of that name.';
const ForwardQuery = Type.Boolean({
  description: 'Whether parameters of the visit that the target lacks are added to it.',
  examples: [false],
});
const RedirectStatus = Type.Unsafe<301 | 302 | 307 | 308>({
  type: 'integer',
  enum: [301, 302, 307, 308],
  description: 'Status of the redirect.',
  examples: [302],
});
const ExternalId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000]+$',
  description: 'Your own id of it; unique in the workspace.',
  examples: ['campaign-42'],
});

export const Link = Type.Object(
  {
    ...objectFields('link', 'link'),
    domain: Domain,
    slug: Slug,
    url: Target,
    short_url: Type.String({
      description: 'The short address.',
      examples: ['http://localhost:3000/launch'],
    }),
    title: Nullable(Title),
    description: Nullable(Description),
    image: Nullable(Image),
    tags: Tags,
    state: Enum(LINK_STATES, { description: 'Whether it leads anywhere now.', examples: ['active'] }),
    expires_at: Nullable(ExpiresAt, { examples: [null] }),
    expired_url: Nullable(ExpiredUrl, { examples: [null] }),
    max_clicks: Nullable(MaxClicks, { examples: [null] }),
    has_password: Type.Boolean({
      description: 'Whether visitors are asked for a password.',
      examples: [false],
    }),
    targeting: Targeting,
    utm: Type.Object(UTM_FIELDS, { title: 'LinkUtm', description: UTM_DESCRIPTION }),
    forward_query: ForwardQuery,
    redirect_status: RedirectStatus,
    clicks: Type.Integer({ description: 'Clicks of people.', examples: [0] }),
    unique_clicks: Type.Integer({
      description: 'Of them, the first of a visitor on a UTC day.',
      examples: [0],
    }),
    bot_clicks: Type.Integer({ description: 'Visits of bots and preview fetchers.', examples: [0] }),
    last_clicked_at: Nullable(Timestamp('When somebody clicked last.'), { examples: [null] }),
    external_id: Nullable(ExternalId, { examples: [null] }),
    message_id: Nullable(Id('message', 'The message that it was made for.'), { examples: [null] }),
    contact_id: Nullable(Id('contact', 'Whom that message went to.'), { examples: [null] }),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'Id of the person or key that made it.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
  },
  { title: 'Link' },
);

const Password = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'What visitors must type. Shown nowhere; null for none.',
  examples: [null],
});

/** What a caller may set of a link, beside its address and target. */
const settable = {
  title: Type.Optional(Nullable(Title)),
  description: Type.Optional(Nullable(Description)),
  image: Type.Optional(Nullable(Image)),
  tags: Type.Optional(Tags),
  expires_at: Type.Optional(Nullable(ExpiresAt, { examples: [null] })),
  expired_url: Type.Optional(Nullable(ExpiredUrl, { examples: [null] })),
  max_clicks: Type.Optional(Nullable(MaxClicks, { examples: [null] })),
  password: Type.Optional(Nullable(Password)),
  targeting: Type.Optional(Targeting),
  utm: Type.Optional(
    Strict(
      {
        source: Type.Optional(UTM_FIELDS.source),
        medium: Type.Optional(UTM_FIELDS.medium),
        campaign: Type.Optional(UTM_FIELDS.campaign),
        term: Type.Optional(UTM_FIELDS.term),
        content: Type.Optional(UTM_FIELDS.content),
      },
      { description: `${UTM_DESCRIPTION} Replaced as a whole.` },
    ),
  ),
  forward_query: Type.Optional(ForwardQuery),
  redirect_status: Type.Optional(RedirectStatus),
  external_id: Type.Optional(Nullable(ExternalId, { examples: ['campaign-42'] })),
  metadata: Type.Optional(Metadata),
};
const address = {
  domain: Type.Optional(Domain),
  slug: Type.Optional(slug(`${SLUG_MEANS} Made where it is left out.`)),
};

export const CreateLink = Strict({
  url: Target,
  ...address,
  ...settable,
  find_if_exists: Type.Optional(
    Type.Boolean({
      description:
        'Where an active link is there that is the same in all that is asked for, that one is answered (200). Links with a password are never found.',
      examples: [false],
    }),
  ),
});

const Archived = Type.Boolean({
  description: 'An archived link leads nowhere (404) until it is no longer archived.',
  examples: [false],
});

export const UpdateLink = Strict({
  url: Type.Optional(Target),
  domain: Type.Optional(Domain),
  slug: Type.Optional(Slug),
  ...settable,
  archived: Type.Optional(Archived),
});

export const UpsertLink = Strict({ url: Target, ...address, ...settable, archived: Type.Optional(Archived) });

const States = Enum(LINK_STATES, { description: 'Only links in this state.', examples: ['active'] });

export const LINK_FILTERS = {
  domain: Type.Optional(Domain),
  tag: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Only links with this tag, or with any of several: names, separated by commas.',
      examples: ['spring,summer'],
    }),
  ),
  state: Type.Optional(States),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Words of slug, URL, title, description or external_id; the last may be unfinished.',
      examples: ['spring lau'],
    }),
  ),
  external_id: Type.Optional(ExternalId),
  contact_id: Type.Optional(Id('contact', 'Only links made for messages to this contact.')),
  message_id: Type.Optional(Id('message', 'Only links made for this message.')),
  created_by: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only links that this person or key made.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
  ),
  has_password: Type.Optional(
    Type.Boolean({ description: 'Only links with, or without, a password.', examples: [false] }),
  ),
  ...createdFilters,
};

export const LinkList = ListQuery({
  ...LINK_FILTERS,
  sort: Type.Optional(
    Enum(LINK_SORTS, {
      default: 'created_at',
      description: 'What the list goes by, the newest, or most, first.',
      examples: ['created_at'],
    }),
  ),
});

export const LinkCountQuery = Strict(LINK_FILTERS);
export const LinkCount = Type.Object(
  {
    object: Type.Literal('link_count', { description: 'The type of the object.', examples: ['link_count'] }),
    count: Type.Integer({ description: 'How many, 10,000 at most.', examples: [42] }),
    is_exact: Type.Boolean({
      description: 'False where there are more, or where it took too long to look through all.',
      examples: [true],
    }),
  },
  { title: 'LinkCount' },
);

export type LinkObject = Static<typeof Link>;
export type LinkState = (typeof LINK_STATES)[number];
export type LinkSort = (typeof LINK_SORTS)[number];
export type CreateLinkBody = Static<typeof CreateLink>;
export type UpdateLinkBody = Static<typeof UpdateLink>;
export type UpsertLinkBody = Static<typeof UpsertLink>;
export type ListLinksQuery = Static<typeof LinkList>;
export type LinkFilterQuery = Static<typeof LinkCountQuery>;
export type LinkCountObject = Static<typeof LinkCount>;
