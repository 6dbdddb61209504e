/** Schemas of short links and of requests for them. */
import Type, { type Static } from 'typebox';
import {
  CommaList,
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { Id, objectFields } from '../../../core/api/id-schema.ts';
import {
  Archived,
  Domain,
  ExpiredUrl,
  ExpiresAt,
  ExternalId,
  ForwardQuery,
  Image,
  mapTexts,
  MaxClicks,
  Password,
  RedirectStatus,
  slug,
  Slug,
  SLUG_MEANS,
  Tags,
  Target,
  Targeting,
  TEXT_FIELDS,
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
      description: 'The short URL.',
      examples: ['http://localhost:3000/launch'],
    }),
    ...TEXT_FIELDS,
    image: Nullable(Image),
    tags: Tags,
    state: Enum(LINK_STATES, { description: 'Status of the link.', examples: ['active'] }),
    expires_at: Nullable(ExpiresAt, { examples: [null] }),
    expired_url: Nullable(ExpiredUrl, { examples: [null] }),
    max_clicks: Nullable(MaxClicks, { examples: [null] }),
    has_password: Type.Boolean({
      description: 'Whether the link is protected by a password.',
      examples: [false],
    }),
    targeting: Targeting,
    utm: Type.Object(UTM_FIELDS, { title: 'LinkUtm', description: UTM_DESCRIPTION }),
    forward_query: ForwardQuery,
    redirect_status: RedirectStatus,
    clicks: Type.Integer({ description: 'Clicks by people.', examples: [0] }),
    unique_clicks: Type.Integer({
      description: 'Clicks by people, counting each visitor once per UTC day.',
      examples: [0],
    }),
    bot_clicks: Type.Integer({ description: 'Clicks by bots and link previews.', examples: [0] }),
    last_clicked_at: Nullable(Timestamp('Time of the last click.'), { examples: [null] }),
    external_id: Nullable(ExternalId, { examples: [null] }),
    message_id: Nullable(Id('message', 'The message that the link was created for.'), { examples: [null] }),
    contact_id: Nullable(Id('contact', 'The recipient of that message.'), { examples: [null] }),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'ID of the user or API key that created the link.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
  },
  { title: 'Link' },
);

/** Fields that callers can set, besides address and destination. */
const settable = {
  ...mapTexts((name) => Type.Optional(TEXT_FIELDS[name])),
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
  slug: Type.Optional(slug(`${SLUG_MEANS} Generated if omitted.`)),
};

export const CreateLink = Strict(
  {
    url: Target,
    ...address,
    ...settable,
    find_if_exists: Type.Optional(
      Type.Boolean({
        description:
          'Return an existing active link (200) if all its values match the request. Links with a password never match.',
        examples: [false],
      }),
    ),
  },
  { title: 'CreateLinkRequest' },
);

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
  slug: Type.Optional(slug('Only links with exactly this slug, one on each domain at most. Case-sensitive.')),
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
      description: 'Words of slug, URL, title, description or external_id. The last word may be incomplete.',
      examples: ['spring lau'],
    }),
  ),
  external_id: Type.Optional(ExternalId),
  contact_id: Type.Optional(Id('contact', 'Only links created for messages to this contact.')),
  message_id: Type.Optional(Id('message', 'Only links created for this message.')),
  created_by: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only links created by this user or API key.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
  ),
  has_password: Type.Optional(
    Type.Boolean({ description: 'Only links with (or without) a password.', examples: [false] }),
  ),
  ...createdFilters,
};

export const LinkList = ListQuery({
  ...LINK_FILTERS,
  sort: Type.Optional(
    Enum(LINK_SORTS, {
      default: 'created_at',
      description: 'Field to sort by, in descending order.',
      examples: ['created_at'],
    }),
  ),
});

export const LinkCountQuery = Strict(LINK_FILTERS);
export const LinkCount = Type.Object(
  {
    object: Type.Literal('link_count', { description: 'The type of the object.', examples: ['link_count'] }),
    count: Type.Integer({ description: 'Number of links, at most 10,000.', examples: [42] }),
    is_exact: Type.Boolean({
      description: 'False if there are more links, or if too many links had to be checked.',
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
