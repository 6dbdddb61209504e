/** Many short links in one call, each with a result of its own. */
import Type, { type Static } from 'typebox';
import { BatchProblem } from '../../platform/http/item-problem.schema.ts';
import { Id, Nullable, Strict } from '../../platform/http/schema.ts';
import { CreateLink, Link, UpdateLink } from './link.schema.ts';
import { TagName } from './tags/tag.schema.ts';

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
    // What is no link is a fault of that one alone: it is told in its result.
    Type.Unsafe<unknown>({
      anyOf: [CreateLink, { description: 'What is no link gets a problem as its result.' }],
    }),
    {
      minItems: 1,
      maxItems: MAX_IN_BULK,
      description: 'Up to 1,000 links, each as `POST /links` takes it.',
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
  add_tags: Names('Tags that each link gets besides those it has.', 'spring'),
  remove_tags: Names('Tags that each link loses, where it has them.', 'winter'),
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
    succeeded: Type.Integer({ description: 'How many were done.', examples: [1] }),
    failed: Type.Integer({ description: 'How many were refused.', examples: [0] }),
    results: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: 'Its place in the request, from 0.', examples: [0] }),
          status: Type.Integer({
            description: 'The status that it alone would be answered with.',
            examples: [201],
          }),
          link: Nullable(Link, { description: 'The link; null where it was refused, or deleted.' }),
          error: Nullable(BatchProblem, { description: 'Why it was refused.', examples: [null] }),
        },
        { title: 'LinkBulkResult' },
      ),
      { description: 'One for each, in their order.' },
    ),
  },
  { title: 'LinkBulk' },
);

export type UpdateLinksBody = Static<typeof UpdateLinks>;
export type LinkBulkObject = Static<typeof LinkBulk>;
