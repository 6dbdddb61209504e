/** What the event log tells of short links, from whichever path: one, bulk, upsert, import, messages. Never a password. */
import { eventKind } from '../../core/events/event-kind.ts';
import Type from 'typebox';
import { Enum } from '../../platform/http/schema.ts';
import { Link, LINK_FILTERS, LINK_SORTS } from './link.schema.ts';

const Listed = Type.Object(
  {
    object: Type.Literal('list', { description: 'Always `list`.', examples: ['list'] }),
    of: Type.Literal('link', { description: 'What was listed.', examples: ['link'] }),
    filter: Type.Object(LINK_FILTERS, {
      description: 'The filters that were given.',
      examples: [{ tag: 'spring' }],
    }),
    sort: Enum(LINK_SORTS, { description: 'What the list went by.', examples: ['created_at'] }),
    count: Type.Integer({ description: 'How many links the newest page had.', examples: [25] }),
    times: Type.Integer({
      description: 'How many pages were asked for since the event before.',
      examples: [1],
    }),
  },
  { title: 'LinkListing' },
);

export const linkEvents = {
  'link.created': eventKind({ object: Link, description: 'A short link was made.' }),
  'link.updated': eventKind({
    object: Link,
    description: 'A short link was changed. Clicks are no change: `link.clicked` tells of them.',
    previous: { title: 'Spring' },
  }),
  'link.deleted': eventKind({
    object: Link,
    description: 'A short link was deleted. The object is as it was.',
  }),
  'link.listed': eventKind({
    object: Listed,
    description:
      'Links were listed: by which filters, and how many were found. A burst of the same is folded into one a second. Made only while a webhook, a rule or an open stream wants it.',
  }),
};
