/** Schemas of bulk operations on short links. */
import Type, { type Static } from 'typebox';
import { BatchProblem } from '../../../platform/http/item-problem.schema.ts';
import { Id } from '../../../core/api/id-schema.ts';
import { Nullable, Strict } from '../../../platform/http/schema.ts';
import { CreateLink, Link, UpdateLink } from '../records/link.schema.ts';
import { TagName } from '../tags/tag.schema.ts';

const MAX_IN_BULK = 1_000;

const Ids = Type.Array(Id('link'), {
  minItems: 1,
  maxItems: MAX_IN_BULK,
  uniqueItems: true,
  description: 'Up to 1,000 links.',
  examples: [['lnk_01h2xcejqtf2nbrexx3vqjhp41']],
});

export const CreateLinks = Strict({
  links: Type.Array(
    // Any value is accepted here: an invalid item is reported in its own result and does not fail the request.
    Type.Unsafe<unknown>({
      anyOf: [CreateLink, {}],
    }),
    {
      minItems: 1,
      maxItems: MAX_IN_BULK,
      description:
        'Up to 1,000 links, each as in `POST /links`. An invalid link gets an error as its result.',
      examples: [[{ url: 'https://example.com/spring', tags: ['spring'] }]],
    },
  ),
});

const Names = (description: string, example: string) =>
  Type.Optional(Type.Array(TagName, { minItems: 1, maxItems: 50, description, examples: [[example]] }));

const { archived, expires_at, expired_url, max_clicks, forward_query, redirect_status, metadata, tags } =
  UpdateLink.properties;

export const UpdateLinks = Strict({
  ids: Ids,
  add_tags: Names('Tags to add to each link.', 'spring'),
  remove_tags: Names('Tags to remove from each link.', 'winter'),
  tags,
  archived,
  expires_at,
  expired_url,
  max_clicks,
  forward_query,
  redirect_status,
  metadata,
});

export const DeleteLinks = Strict({ ids: Ids });

export const LinkBulk = Type.Object(
  {
    object: Type.Literal('link_bulk', { description: 'The type of the object.', examples: ['link_bulk'] }),
    succeeded: Type.Integer({ description: 'Number of items that succeeded.', examples: [1] }),
    failed: Type.Integer({ description: 'Number of items that failed.', examples: [0] }),
    results: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: 'Position of the item in the request, from 0.', examples: [0] }),
          status: Type.Integer({
            description: 'HTTP status that a single request would return.',
            examples: [201],
          }),
          link: Nullable(Link, { description: 'The link; null if the item failed or the link was deleted.' }),
          error: Nullable(BatchProblem, { description: 'Why the item failed.', examples: [null] }),
        },
        { title: 'LinkBulkResult' },
      ),
      { description: 'One result for each item, in request order.' },
    ),
  },
  { title: 'LinkBulk' },
);

export type UpdateLinksBody = Static<typeof UpdateLinks>;
export type LinkBulkObject = Static<typeof LinkBulk>;
