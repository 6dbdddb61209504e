/** Short links as the API shows them, and what it takes for them. */
import Type, { type Static } from 'typebox';
import {
  CommaList,
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
} from '../../platform/http/schema.ts';
import {
  Archived,
  Description,
  Domain,
  ExpiredUrl,
  ExpiresAt,
  ExternalId,
  ForwardQuery,
  Image,
  MaxClicks,
  Password,
  RedirectStatus,
  slug,
  Slug,
  SLUG_MEANS,
  Tags,
  Target,
  Targeting,
  Title,
  UTM_DESCRIPTION,
  UTM_FIELDS,
} from './link-fields.schema.ts';

export const LINK_STATES = ['active', 'expired', 'exhausted', 'archived'] as const;
export const LINK_SORTS = ['created_at', 'clicks', 'last_clicked_at'] as const;
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
      description: 'ID of the person or key that created it.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
  },
  { title: 'Link' },
);

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
    CommaList('Only links with at least one of these tags, by name.', {
      maxLength: 1_000,
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
